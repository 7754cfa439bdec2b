/**
 * Styles and script of the admin panel. The HTML is made by the server (`crates/web/templates/admin`), which puts a hash of the content behind each
 * address; only what the styles name (fonts, the sleeping sticker) gets its hash here, in the folder `f`. Nothing is inlined, because the
 * page's content security policy allows no inline code and no `data:`.
 */
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/admin/assets/',
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { panel: 'src/main.ts' },
      // htmx can make code from text; the panel switches that off, and its policy forbids it.
      checks: { eval: false },
      output: {
        entryFileNames: '[name].js',
        assetFileNames: (file) => (file.names.some((name) => name.endsWith('.css')) ? 'panel.css' : 'f/[name]-[hash][extname]'),
      },
    },
  },
});
