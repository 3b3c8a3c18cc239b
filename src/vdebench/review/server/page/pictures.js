/* Images: decoded before they are shown, cached, prefetched; and difference images. */

const MOST = 8,
  loaded = new Map();

/** A decoded image; rejects if it cannot be loaded. */
export function picture(url) {
  if (!loaded.has(url)) {
    const image = new Image();
    image.src = url;
    const ready = image.decode().then(() => image);
    ready.catch(() => loaded.delete(url));
    loaded.set(url, ready);
    for (const old of loaded.keys()) {
      if (loaded.size > MOST) loaded.delete(old);
    }
  } else {
    const kept = loaded.get(url);
    loaded.delete(url);
    loaded.set(url, kept);
  }
  return loaded.get(url);
}

export function fetchAhead(urls) {
  for (const url of urls) if (url) picture(url).catch(() => {});
}

const FROM = 12,
  FULL = 96,
  COLOUR = [213, 0, 106];

/** The second image in pale grey, with differences from the first in red, by strength. Its `changed` is the bounding
    box of the differences, or null. */
export function differencePicture(before, after) {
  const width = after.naturalWidth,
    height = after.naturalHeight;
  const canvas = Object.assign(document.createElement("canvas"), { width, height });
  const context = canvas.getContext("2d", { willReadFrequently: true });
  context.drawImage(before, 0, 0, width, height);
  const old = context.getImageData(0, 0, width, height).data;
  context.drawImage(after, 0, 0);
  const drawn = context.getImageData(0, 0, width, height),
    now = drawn.data;
  const box = [width, height, 0, 0];
  for (let at = 0; at < now.length; at += 4) {
    const off = Math.max(
      Math.abs(now[at] - old[at]),
      Math.abs(now[at + 1] - old[at + 1]),
      Math.abs(now[at + 2] - old[at + 2]),
    );
    if (off > FROM) widen(box, (at / 4) % width, Math.floor(at / 4 / width));
    const share = off <= FROM ? 0 : Math.min(1, 0.25 + (0.75 * (off - FROM)) / (FULL - FROM));
    const grey = 190 + (0.3 * now[at] + 0.59 * now[at + 1] + 0.11 * now[at + 2]) * 0.255;
    for (let colour = 0; colour < 3; colour++) now[at + colour] = grey + (COLOUR[colour] - grey) * share;
    now[at + 3] = 255;
  }
  context.putImageData(drawn, 0, 0);
  canvas.changed = box[0] < box[2] ? box : null;
  return canvas;
}

function widen(box, x, y) {
  box[0] = Math.min(box[0], x);
  box[1] = Math.min(box[1], y);
  box[2] = Math.max(box[2], x + 1);
  box[3] = Math.max(box[3], y + 1);
}
