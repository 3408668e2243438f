import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import { createCatalog } from '../../gateway/catalog.ts'
import { createSkillIndex, findSkills } from './skill-index.ts'

function serving(server: string, skills: Record<string, string>) {
  return anUpstream({
    name: server,
    listing: {
      ...aListing(server),
      skills: Object.entries(skills).map(([path, description]) => ({
        uri: `skill://${server}+/${path}/SKILL.md`,
        frontmatter: { name: path.split('/').at(-1), description },
        resources: 'dynamic',
      })),
    },
  })
}

const index = createSkillIndex(
  createCatalog([
    serving('tax', { forms: 'Fill forms of the tax office' }),
    serving('bank', {
      forms: 'Fill forms of the bank',
      'old/forms': 'Fill paper forms of the bank',
    }),
  ]),
)()
const find = (query: string, permits = (_server: string) => true) =>
  findSkills(index, [query], permits).map(({ uri }) => uri)

it('finds a skill by what it is for, also where others have its name', () => {
  expect(find('fill a form of the tax office')).toEqual(['skill://tax+/forms/SKILL.md'])
  expect(find('paper form of my bank')).toContain('skill://bank+/old/forms/SKILL.md')
})

it('finds none that has nothing to do with the query, or is not permitted', () => {
  expect(find('weather in Paris')).toEqual([])
  expect(find('the bank is closed on Sunday, what about the office hours')).toEqual([])
  expect(find('fill a form of the tax office', (server) => server !== 'tax')).toEqual([])
})
