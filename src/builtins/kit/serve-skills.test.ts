import { expect, it } from 'vitest'
import { aContext } from '../../../test/support/service-context.ts'
import type { Service } from '../../protocol/service.ts'
import { type OwnSkill, serveSkills } from './serve-skills.ts'

const NO_TOOLS: Service = {
  info: { name: 'empty', version: '1' },
  capabilities: { tools: {} },
  handle: async () => ({ tools: [] }),
  close: async () => undefined,
}

function aSkill(name: string, body: string): OwnSkill {
  return { name, text: `---\nname: ${name}\ndescription: ${body}\n---\n${body}\n` }
}

async function namesOf(service: Service): Promise<unknown> {
  const { skills } = await service.handle('skills/list', {}, aContext())
  return Array.isArray(skills) ? skills.map(({ uri }: { uri: string }) => uri) : undefined
}

it('the skills of all providers stand beside each other, and the earlier one keeps a shared name', async () => {
  const service = serveSkills(NO_TOOLS, [
    { load: async () => [aSkill('forms', 'of the first')] },
    { load: async () => [aSkill('forms', 'of the second'), aSkill('letters', 'of the second')] },
  ])
  expect(await namesOf(service)).toEqual(['skill://forms/SKILL.md', 'skill://letters/SKILL.md'])
  const uri = 'skill://forms/SKILL.md'
  const read = await service.handle('resources/read', { uri }, aContext())
  expect(JSON.stringify(read)).toContain('of the first')
})

it('skills that change are loaded again and announced; those that did not are not', async () => {
  const known = [aSkill('forms', 'one')]
  let loads = 0
  let change: (() => void) | undefined
  const service = serveSkills(NO_TOOLS, [
    {
      async load() {
        loads += 1
        return known
      },
      onChange(listener) {
        change = listener
        return () => (change = undefined)
      },
    },
  ])
  const heard: string[] = []
  service.onNotification?.((method) => heard.push(method))
  await namesOf(service)
  expect(await namesOf(service)).toHaveLength(1)
  expect(loads).toBe(1)
  known.push(aSkill('letters', 'two'))
  change?.()
  expect(heard).toEqual(['notifications/resources/list_changed'])
  expect(await namesOf(service)).toHaveLength(2)
  expect(loads).toBe(2)
  await service.close()
  change?.()
  expect(heard).toHaveLength(1)
})

it('a provider that fails once is asked again', async () => {
  let failing = true
  const service = serveSkills(NO_TOOLS, [
    {
      async load() {
        if (failing) throw new Error('no database')
        return [aSkill('forms', 'one')]
      },
    },
  ])
  await expect(namesOf(service)).rejects.toThrow('no database')
  failing = false
  expect(await namesOf(service)).toEqual(['skill://forms/SKILL.md'])
})
