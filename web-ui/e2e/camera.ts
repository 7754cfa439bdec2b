/** Where the camera's picture lies, and how it is made from the committed portrait without any tool but the browser. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from '@playwright/test';

const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '../..');
/** Public domain, see the notice beside it. */
export const portrait = join(root, 'crates/app/assets/astronaut.png');
export const cameraFile = join(root, 'test-results/camera.mjpeg');

/** Writes the portrait as a film of still frames, 960 x 720, the face in the middle. */
export async function makeCameraFile(): Promise<void> {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const page = await browser.newPage();
    const source = `data:image/png;base64,${readFileSync(portrait).toString('base64')}`;
    const frame = await page.evaluate(async (url) => {
      const image = new Image();
      image.src = url;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = 960;
      canvas.height = 720;
      const context = canvas.getContext('2d');
      if (context === null) throw new Error('no canvas');
      context.fillStyle = '#8fa0ac';
      context.fillRect(0, 0, 960, 720);
      // Her face is left of the middle at 44 % of the width: shift the picture so that it stands in the middle of the frame.
      context.drawImage(image, 480 - 0.44 * 760, 0, 760, 760);
      return canvas.toDataURL('image/jpeg', 0.95).split(',')[1] ?? '';
    }, source);
    const bytes = Buffer.from(frame, 'base64');
    mkdirSync(dirname(cameraFile), { recursive: true });
    writeFileSync(cameraFile, Buffer.concat(Array.from({ length: 4 }, () => bytes)));
  } finally {
    await browser.close();
  }
}
