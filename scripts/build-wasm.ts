import { readFile, writeFile } from 'node:fs/promises'
import wabt from 'wabt'

const source = new URL('../src/search/vector/dot-products.wat', import.meta.url)
const target = new URL('../src/search/vector/dot-products-wasm.ts', import.meta.url)

/** Returns the module's bytes as base64, as in the committed file. */
export async function compileDotProducts(): Promise<string> {
  const tools = await wabt()
  const parsed = tools.parseWat('dot-products.wat', await readFile(source, 'utf8'), { simd: true })
  const { buffer } = parsed.toBinary({})
  parsed.destroy()
  return Buffer.from(buffer).toString('base64')
}

if (process.argv[1] === import.meta.filename) {
  const bytes = await compileDotProducts()
  await writeFile(
    target,
    `/** Made from dot-products.wat by \`npm run build:wasm\`; a test holds the two together. */
export const DOT_PRODUCTS_WASM =
  '${bytes}'
`,
  )
}
