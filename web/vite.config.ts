import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineConfig } from 'vite'

const MODULES = join(import.meta.dirname, '../node_modules')

/** What others made and this build contains, so that their licences travel with it. */
const CONTAINED = [
  'preact',
  '@preact/signals',
  '@preact/signals-core',
  '@fontsource-variable/ibm-plex-sans',
  '@fontsource/ibm-plex-mono',
]

/** Builds the dashboard into the package; the gateway serves it from there. */
export default defineConfig({
  root: import.meta.dirname,
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // The colours are written once, with light-dark().
    cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
    // The policy of the pages allows no font and no style from a `data:` address.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  plugins: [
    {
      name: 'licences',
      generateBundle() {
        const texts = CONTAINED.map((name) => {
          const text = readFileSync(join(MODULES, name, 'LICENSE'), 'utf8')
          return `${name}\n\n${text}`
        })
        this.emitFile({
          type: 'asset',
          fileName: 'licences.txt',
          source: texts.join('\n----------\n\n'),
        })
      },
    },
  ],
  server: {
    proxy: { '/api': process.env['PORTOLAN_URL'] ?? 'http://127.0.0.1:7411' },
  },
})
