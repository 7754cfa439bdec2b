/** The browser tests: the built binary, real pages, Chromium of the system with a camera fed from a real portrait. */
import { defineConfig } from '@playwright/test';
import { cameraFile } from './camera.ts';

export default defineConfig({
  testDir: '.',
  timeout: 150_000,
  expect: { timeout: 20_000 },
  workers: 1,
  retries: 0,
  forbidOnly: true,
  reporter: [['list']],
  outputDir: '../../test-results',
  globalSetup: './setup.ts',
  use: {
    actionTimeout: 20_000,
    navigationTimeout: 20_000,
    launchOptions: {
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--use-fake-ui-for-media-stream',
        '--use-fake-device-for-media-stream',
        `--use-file-for-fake-video-capture=${cameraFile}`,
      ],
    },
    screenshot: 'only-on-failure',
    trace: 'off',
  },
});
