/**
 * The start page of `stickers demo`: the page itself at `/demo`, its files under `/start-assets/`, which is
 * this folder's `dist`. Nothing is inlined, because the pages' content security policy allows no inline code and no `data:`.
 */
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/start-assets/',
  plugins: [preact()],
  build: {
    assetsDir: '.',
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
