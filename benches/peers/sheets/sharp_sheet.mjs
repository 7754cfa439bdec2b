// A sheet of nine figures on a key colour to nine stickers with sharp: a soft key in a loop over the pixels, everything else by libvips; cells
// by the lines of the grid. Arguments: SHEET OUT green|magenta ROUNDS.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";

const [sheet, out, key, rounds] = process.argv.slice(2);
const SIDE = 512;
const MARGIN = 15;
const OUTLINE = 9;

// One thread, as the others have one.
sharp.concurrency(1);

/** The picture as RGBA without its ground. */
function keyed(data, pixels) {
  const picture = Buffer.alloc(pixels * 4);
  for (let i = 0; i < pixels; i++) {
    let red = data[3 * i];
    let green = data[3 * i + 1];
    let blue = data[3 * i + 2];
    const over = key === "green" ? green - Math.max(red, blue) : Math.min(red, blue) - green;
    const ground = Math.min(1, Math.max(0, (over / 255 - 0.07) / 0.83));
    const spill = Math.max(0, over);
    if (key === "green") green -= spill;
    else [red, blue] = [red - spill, blue - spill];
    picture.set([red, green, blue, Math.round(255 * (1 - ground))], 4 * i);
  }
  return picture;
}

/** The smallest box round what is solid in a cell. */
function box(picture, width, cell) {
  let [left, top, right, bottom] = [cell.right, cell.bottom, cell.left, cell.top];
  for (let y = cell.top; y < cell.bottom; y++) {
    for (let x = cell.left; x < cell.right; x++) {
      if (picture[4 * (y * width + x) + 3] > 10) {
        if (x < left) left = x;
        if (x > right) right = x;
        if (y < top) top = y;
        if (y > bottom) bottom = y;
      }
    }
  }
  return right < left ? { left: cell.left, top: cell.top, width: 1, height: 1 }
    : { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** A figure brought to size and outlined, as WEBP. */
async function sticker(figure) {
  const room = SIDE - 2 * MARGIN;
  const canvas = await figure
    .resize(room, room, { fit: "contain", background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .extend({ top: MARGIN, bottom: MARGIN, left: MARGIN, right: MARGIN, background: { r: 0, g: 0, b: 0, alpha: 0 } })
    .png({ compressionLevel: 0 })
    .toBuffer();
  const grey = { raw: { width: SIDE, height: SIDE, channels: 1 } };
  const alpha = await sharp(canvas).extractChannel("alpha").raw().toBuffer();
  // Grown by a blur and a threshold, then made soft; each is a pipeline of its own, because sharp orders the steps of one by itself.
  const step = (buffer) => sharp(buffer, grey).toColourspace("b-w").raw();
  const wide = await step(alpha).blur(OUTLINE * 0.75).toBuffer();
  const grown = await step(wide).threshold(22).toBuffer();
  const ring = await step(grown).blur(1.5).toBuffer();
  const white = sharp({ create: { width: SIDE, height: SIDE, channels: 3, background: "#ffffff" } })
    .joinChannel(ring, grey);
  const under = await white.png({ compressionLevel: 0 }).toBuffer();
  return sharp(under).composite([{ input: canvas }]).webp({ quality: 90, effort: 2 }).toBuffer();
}

async function pack(file) {
  const { data, info } = await sharp(file).removeAlpha().raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const picture = keyed(data, width * height);
  const made = [];
  for (let place = 0; place < 9; place++) {
    const [column, row] = [place % 3, Math.floor(place / 3)];
    const edge = (part, side) => Math.floor((part * side) / 3);
    const cell = {
      left: edge(column, width), right: edge(column + 1, width), top: edge(row, height), bottom: edge(row + 1, height),
    };
    const area = box(picture, width, cell);
    const figure = () => sharp(picture, { raw: { width, height, channels: 4 } }).extract(area);
    made.push({ webp: await sticker(figure()), area, figure });
  }
  return made;
}

const file = await readFile(sheet);
const times = [];
let made = [];
for (let round = 0; round < Number(rounds); round++) {
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  made = await pack(file);
  const used = process.cpuUsage(cpu);
  times.push([(used.user + used.system) / 1000, performance.now() - wall]);
}
times.sort((a, b) => a[0] - b[0]);
const [cpu, wall] = times[Math.floor(times.length / 2)];
for (const [place, { webp, area, figure }] of made.entries()) {
  await writeFile(join(out, `${place}.webp`), webp);
  await figure().png({ compressionLevel: 1 }).toFile(join(out, `cut_${place}_${area.left}_${area.top}.png`));
}
console.log(`${cpu.toFixed(1)} ${wall.toFixed(1)}`);
