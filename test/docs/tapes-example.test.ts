import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { MAIN } from '../support/gateway.ts'
import { runBuilt } from '../support/run-built.ts'
import { runProgram } from '../support/run-program.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { parseDocument } from './document.ts'

const ROOT = resolve(import.meta.dirname, '../..')

it('the Vitest example of the guide passes with the package and the tape of the guide', async () => {
  const folder = tempFolder()
  const guide = readFileSync(join(ROOT, 'docs/guides/tapes.md'), 'utf8')
  const { steps } = parseDocument(guide)
  const example = steps.flatMap((step) =>
    step.kind === 'file' && step.path === 'shop.test.ts' ? [step.content] : [],
  )
  expect(example).toHaveLength(1)
  folder.write('shop.test.ts', example.join(''))
  const args = [MAIN, 'demo-server', 'tickets']
  folder.write('.mcp.json', { mcpServers: { tickets: { command: process.execPath, args } } })
  const calling = ['call', 'tickets__list_tickets', 'status=open']
  const recording = ['record', 'shop.jsonl', '--', process.execPath, MAIN, ...calling]
  expect(await runBuilt(folder, recording)).toMatchObject({ code: 0 })

  mkdirSync(folder.file('node_modules/@modelcontextprotocol'), { recursive: true })
  symlinkSync(ROOT, folder.file('node_modules/portolan'))
  for (const name of ['vitest', '@modelcontextprotocol/client'])
    symlinkSync(join(ROOT, 'node_modules', name), folder.file(`node_modules/${name}`))
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--root', folder.path]
  const { PATH, HOME } = process.env
  const { code, stdout, stderr } = await runProgram(process.execPath, vitest, {
    cwd: folder.path,
    env: { PATH, HOME, CI: '1' },
  })
  expect(stdout + stderr).toContain('1 passed')
  expect(code).toBe(0)
})
