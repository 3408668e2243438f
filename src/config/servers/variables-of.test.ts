import { expect, it } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { variablesOf } from './variables-of.ts'

function aPlace() {
  const [cwd, home] = [tempFolder(), tempFolder()]
  return { cwd, home, variables: () => variablesOf(cwd.path, { PORTOLAN_HOME: home.path }) }
}

it('names the variables of the person’s own file, and none of a file that nobody has trusted', () => {
  const { cwd, home, variables } = aPlace()
  expect(variables()).toEqual([])
  const entry = { command: 'x', args: ['${A}', '${B:-b}'], env: { K: '${user.K}${A}' } }
  home.write('mcp.json', { mcpServers: { own: entry } })
  cwd.write('.mcp.json', { mcpServers: { theirs: { command: '${PLANTED}' } } })
  expect(variables()).toEqual(['A', 'B'])
})

it('names the variables of the API packs in use, and of no other', () => {
  const { home, variables } = aPlace()
  home.write('apis/shop/pack.yaml', 'auth: { token: "${SHOP_TOKEN}" }')
  home.write('apis/unused/pack.yaml', 'auth: { token: "${UNUSED_TOKEN}" }')
  expect(variables()).toEqual([])
  home.write('mcp.json', { mcpServers: { shop: { openapi: 'shop' } } })
  expect(variables()).toEqual(['SHOP_TOKEN'])
})

it('names the key of OpenAI where a model of OpenAI embeds', () => {
  const { home, variables } = aPlace()
  home.write('portolan.yaml', { embedding: { model: 'text-embedding-3-small' } })
  expect(variables()).toEqual(['OPENAI_API_KEY'])
  home.write('portolan.yaml', { embedding: { provider: 'builtin' } })
  expect(variables()).toEqual([])
})
