// Packs the rank file of the `tiktoken` package into what the product ships: one length byte per token
// in rank order, then all bytes, brotli-compressed. Run with `node scripts/make-vocabularies.mjs`.
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { brotliCompressSync, constants } from 'node:zlib'

const require = createRequire(import.meta.url)

const name = 'cl100k_base'
const { bpe_ranks } = JSON.parse(
  readFileSync(require.resolve(`tiktoken/encoders/${name}.json`), 'utf8'),
)
const tokens = []
for (const line of bpe_ranks.split('\n').filter(Boolean)) {
  const [, first, ...encoded] = line.split(' ')
  let rank = Number(first)
  for (const token of encoded) tokens[rank++] = Buffer.from(token, 'base64')
}
// A rank nobody uses gets no bytes, so that the position of a token stays its rank.
const lengths = Buffer.from(Array.from(tokens, (token) => token?.length ?? 0))
const count = Buffer.alloc(4)
count.writeUInt32LE(tokens.length)
const packed = Buffer.concat([count, lengths, ...tokens.filter(Boolean)])
const options = {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
}
const target = new URL(`../assets/vocabularies/${name}.br`, import.meta.url)
writeFileSync(target, brotliCompressSync(packed, options))
console.error(`${name}: ${tokens.length} tokens, ${packed.length} bytes before compression`)
