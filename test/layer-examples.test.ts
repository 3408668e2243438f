import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'jsonc-parser'
import { expect, it } from 'vitest'
import { checkConfig } from '../src/config/check.ts'
import { tempFolder } from './support/temp-folder.ts'

const LAYERS = join(import.meta.dirname, '../src/gateway/layers')

/** The examples of settings in the comments of the layers: the file they belong to, and its text. */
const EXAMPLES = readdirSync(LAYERS)
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .flatMap((layer) => {
    const text = readFileSync(join(LAYERS, layer), 'utf8')
    const blocks = text.matchAll(/^ \* ```\w+\n \* (?:#|\/\/) (\S+)\n([\s\S]*?)^ \* ```$/gm)
    return Array.from(blocks, ([, file = '', body = '']) => ({
      layer,
      file,
      text: body.replaceAll(/^ \* /gm, ''),
    }))
  })

it.each(EXAMPLES)('the example of $layer is a valid $file', ({ file, text }) => {
  const folder = tempFolder()
  folder.write('data/mcp.json', { mcpServers: { db: { command: 'db-server' } } })
  const name = { '.mcp.json': 'mcp.json', '.mcp-gateway-rules.json': 'rules.json' }[file] ?? file
  folder.write(`data/${name}`, name.endsWith('.json') ? parse(text) : text)
  const env = { HOME: folder.path, PORTOLAN_HOME: folder.file('data') }
  expect(checkConfig({ cwd: folder.path, env })).toMatchObject({ ok: true })
})

it('most layers show what they are configured with', () => {
  expect(EXAMPLES.length).toBeGreaterThan(9)
})
