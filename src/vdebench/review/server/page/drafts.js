/* Drafts of votes, stored in this tab by person, sample, step and round. */

const name = (who, sample) => `vde.draft/${who}/${sample.step}/${sample.round}/${sample.sample}`;

export function draft(who, sample) {
  try {
    return JSON.parse(sessionStorage.getItem(name(who, sample)) || "null");
  } catch {
    return null;
  }
}

export function keepDraft(who, sample, value) {
  try {
    sessionStorage.setItem(name(who, sample), JSON.stringify(value));
  } catch {
    /* the tab's storage is full or blocked: the page still has the value */
  }
}

export function dropDraft(who, sample) {
  try {
    sessionStorage.removeItem(name(who, sample));
  } catch {
    /* nothing was stored */
  }
}
