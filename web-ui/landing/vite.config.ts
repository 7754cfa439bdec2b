/**
 * Styles and script of the landing site. The HTML is made by the server (`crates/landing/templates`), which puts a hash of the content behind
 * each address; only what the styles name (fonts, ornaments) gets its hash here, in the folder `f`. Nothing is inlined, because the page's
 * content security policy allows no inline code and no `data:`.
 */
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/landing-assets/',
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
    rollupOptions: {
      input: { landing: 'src/main.ts' },
      output: {
        entryFileNames: '[name].js',
        assetFileNames: (file) => (file.names.some((name) => name.endsWith('.css')) ? 'landing.css' : 'f/[name]-[hash][extname]'),
      },
    },
  },
});
