import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startGateway } from '../support/gateway.ts'
import { aSkill, startSkillServer } from '../support/skills/start-skill-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runScenarios, runScenariosOfClient } from './run.ts'

const SERVER = [
  'sep-2640-skills-enumeration',
  'sep-2640-skills-manifest',
  'sep-2640-skills-directory',
]
const CLIENT = [
  'sep-2640-client-no-prefetch',
  'sep-2640-client-verify-digest',
  'sep-2640-client-verify-size',
  'sep-2640-client-verify-frontmatter',
]
const allPass = (names: readonly string[]) => Object.fromEntries(names.map((name) => [name, []]))

it('the gateway passes every scenario of a server with skills', async () => {
  const { url } = await startSkillServer({
    'pdf-forms/SKILL.md': aSkill('pdf-forms', 'Fill forms'),
    'pdf-forms/references/FIELDS.md': 'Fields.',
    'writing/notes/SKILL.md': aSkill('notes', 'Take notes'),
  })
  const folder = tempFolder()
  folder.write('.mcp.json', { mcpServers: { docs: { url } } })
  const gateway = await startGateway(folder, ['--surface', 'direct'])
  expect(await runScenarios(`${gateway.url}/mcp`, SERVER)).toEqual(allPass(SERVER))
})

it('the gateway passes every scenario of a client of skills', async () => {
  const client = join(import.meta.dirname, 'skills-client.ts')
  expect(await runScenariosOfClient(client, CLIENT)).toEqual(allPass(CLIENT))
})
