/* Requests to the server. Lost connections and refusals are different errors; expired sessions ask to sign in. */

const PATIENCE = 30000;

/** The server refused the request. */
export class Refused extends Error {
  constructor(status, answer, wait) {
    super(answer?.words || `${status}`);
    this.status = status;
    this.reason = answer?.error || "";
    this.wait = wait;
  }

  /** Whether the same request can be sent again. */
  get passing() {
    return this.status >= 500 || this.status === 429 || this.status === 408;
  }
}

/** No answer: the server may or may not have received the request. */
export class Lost extends Error {}

export const api = {
  csrf: "",
  /** Asks the person to sign in again; set by the page. */
  signInAgain: null,
  /** Gets a new token for the same person; set by the page. */
  renew: null,
  get: (path) => call("GET", path),
  post: (path, body) => call("POST", path, body ?? {}),
  remove: (path) => call("DELETE", path),
  /** Never asks to sign in; the caller handles errors. */
  plain: (method, path, body) => once(method, path, body),
  upload: (path, file) => call("POST", path, file),
  sample: (id) => call("GET", sampleAt(id)),
  /** A background request: it never asks to sign in. */
  sampleAhead: (id) => once("GET", sampleAt(id)),
};

const sampleAt = (id) => `/api/sample?id=${encodeURIComponent(id)}`;

async function call(method, path, body) {
  for (let tries = 0; ; tries++) {
    const used = api.csrf;
    try {
      return await once(method, path, body);
    } catch (error) {
      if (!(error instanceof Refused) || tries > 2) throw error;
      if (error.status === 401 && api.signInAgain) await api.signInAgain();
      else if (error.status === 403 && /csrf/.test(error.reason) && used === api.csrf && api.renew) await api.renew();
      else if (error.status !== 403 || used === api.csrf) throw error;
    }
  }
}

async function once(method, path, body) {
  const given = { method, headers: { Accept: "application/json" }, credentials: "same-origin", cache: "no-store" };
  if (method !== "GET") given.headers["X-CSRF-Token"] = api.csrf;
  if (body instanceof Blob) {
    given.body = body;
    given.headers["Content-Type"] = body.type || "application/octet-stream";
  } else if (body !== undefined && method !== "GET") {
    given.body = JSON.stringify(body);
    given.headers["Content-Type"] = "application/json";
  }
  const patience = new AbortController(),
    timer = setTimeout(() => patience.abort(), PATIENCE * (body instanceof Blob ? 10 : 1));
  let answer, text;
  try {
    answer = await fetch(path, { ...given, signal: patience.signal });
    text = await answer.text();
  } catch {
    throw new Lost(path);
  } finally {
    clearTimeout(timer);
  }
  let data = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch {
    if (answer.ok) throw new Lost(path);
  }
  if (answer.ok) return data;
  throw new Refused(answer.status, data, Number(answer.headers.get("Retry-After")) || 0);
}
