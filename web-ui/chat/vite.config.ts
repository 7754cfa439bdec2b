/**
 * The chat page is served by the simulator: the page itself at several addresses, its files under `/chat-assets/`, which is
 * this folder's `dist`. Nothing is inlined, because the pages' content security policy allows no inline code and no `data:`.
 */
import preact from '@preact/preset-vite';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/chat-assets/',
  plugins: [preact()],
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
