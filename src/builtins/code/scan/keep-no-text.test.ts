import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { scanFile } from './scan-file.ts'

const MEGABYTE = 2 ** 20
const FILES = 24
const FILLER = `// ${'what everybody writes '.repeat(90)}\n`

const FOUND: readonly (readonly [path: string, text: string])[] = [
  ['a.ts', "import { aRatherLongName as another } from './a-rather-long-path.ts'\n"],
  ['a.go', 'func ARatherLongFunctionName(argument string) {\n}\n'],
  ['a.md', '# A heading of several words\n\n[a link](docs/a-rather-long-path.md)\n'],
  ['compose.yml', 'services:\n  a-rather-long-service:\n    image: example/a-rather-long-image\n'],
]

it.each(FOUND)('keeps what it found in %s and not its text', (path, text) => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const used = () => {
    collect()
    return process.memoryUsage().heapUsed
  }
  // Read from bytes, as files are: a text put together in memory is kept in another way.
  const bytes = Buffer.from(text + FILLER.repeat(MEGABYTE / FILLER.length))
  const scan = () => {
    const { code: _, ...found } = scanFile(path, bytes.toString())
    return found
  }
  scan()
  const before = used()
  const kept = Array.from({ length: FILES }, scan)
  expect(used() - before).toBeLessThan((FILES / 4) * MEGABYTE)
  expect(
    kept.every(
      ({ symbols, blocks, imports }) => symbols.length + blocks.length + imports.length > 0,
    ),
  ).toBe(true)
})
