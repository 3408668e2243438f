import { defineConfig } from 'vite'

/** Builds the dashboard into the package; the gateway serves it from there. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The colours are written once, with light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy of the pages allows no `data:` but images, and no inline script.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: {
    proxy: { '/api': process.env['PORTOLAN_URL'] ?? 'http://127.0.0.1:8000' },
  },
})
