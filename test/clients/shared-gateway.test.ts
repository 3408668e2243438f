import { expect, it } from 'vitest'
import { z } from 'zod'
import { MAIN } from '../support/gateway.ts'
import { installClient } from '../support/install-client.ts'
import { CLIENTS } from '../support/real-clients.ts'
import { runProgram } from '../support/run-program.ts'
import { startScriptedModel } from '../support/scripted-model.ts'
import { sharedHome } from '../support/shared-home.ts'

const entry = z.object({
  agent_id: z.string(),
  metadata: z.object({ tool: z.string().optional() }),
})

it('all clients at once use one gateway after adopt, each under its own name', async () => {
  const home = sharedHome({})
  const run = async (program: string, args: readonly string[], env = {}) =>
    runProgram(program, args, { cwd: home.file('work'), env: { ...home.env, ...env } })
  const clients = await Promise.all(
    CLIENTS.map(async (client) => {
      const model = await startScriptedModel({
        tool: 'execute_tool',
        args: { server: 'everything', tool: 'echo', args: { message: `from ${client.id}` } },
      })
      home.write(client.file, client.content(model.url))
      return { ...client, model, installed: await installClient(client.pinned, client.program) }
    }),
  )
  expect((await run(process.execPath, [MAIN, 'adopt', '--yes', '--no-count'])).code).toBe(0)
  const turns = await Promise.all(
    clients.map(async ({ id, installed, turn, env, model }) => {
      const { stdout, stderr } = await run(installed, turn, env?.(model.url))
      const isAnswered = (stdout + stderr).includes('The tool has answered.')
      return { id, isAnswered, isEchoed: model.results.join().includes(`Echo: from ${id}`) }
    }),
  )
  expect(turns).toEqual(CLIENTS.map(({ id }) => ({ id, isAnswered: true, isEchoed: true })))

  expect(home.read('data/gateway.log').match(/the gateway listens/g)).toHaveLength(1)
  const agents = home
    .read('data/audit.jsonl')
    .trim()
    .split('\n')
    .map((line) => entry.parse(JSON.parse(line)))
    .filter(({ metadata }) => metadata.tool === 'echo')
    .map(({ agent_id: agent }) => agent)
  expect(new Set(agents)).toEqual(
    new Set(['claude-code', 'codex', 'gemini', 'opencode', 'qwen-code']),
  )
})
