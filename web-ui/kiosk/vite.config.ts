/** The kiosk page: hashed files under `/kiosk-assets/`, nothing inline, so that a strict content policy holds. */
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/kiosk-assets/',
  plugins: [preact()],
  build: {
    outDir: 'dist',
    assetsDir: '.',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
