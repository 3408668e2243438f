import { expect, it } from 'vitest'
import { aListing, anUpstream } from '../../../test/support/a-call.ts'
import { digestOf } from '../../protocol/skills.ts'
import { checkSkillFile } from './check-skill-file.ts'
import { skillDirectory, validSkills } from './skills.ts'

const URI = 'skill://docs+/pdf/SKILL.md'
const FIELDS = 'skill://docs+/pdf/references/FIELDS.md'
const TEXT = '---\nname: pdf\ndescription: Fill forms\n---\n\nDo it.\n'

function fileOf(uri: string, text: string) {
  return { uri, digest: digestOf(Buffer.from(text)), size: Buffer.byteLength(text) }
}

function aSkill(text = TEXT, frontmatter = { name: 'pdf', description: 'Fill forms' }) {
  return { uri: URI, frontmatter, resources: [fileOf(URI, text), fileOf(FIELDS, 'All.')] }
}

const serving = (...skills: object[]) =>
  anUpstream({
    name: 'docs',
    listing: { ...aListing('docs'), skills: skills.map((one) => ({ ...one })) },
  })

const read = (text: string, uri = URI) => ({ contents: [{ uri, text }] })

it('passes a file that is the described one, and what is no file of a skill', async () => {
  const upstream = serving(aSkill())
  for (const [text, uri] of [
    [TEXT, URI],
    ['All.', FIELDS],
    ['anything', 'note://1'],
  ] as const) {
    const result = read(text, uri)
    expect(await checkSkillFile(result, uri, upstream)).toBe(result)
  }
})

it('passes bytes', async () => {
  const result = { contents: [{ uri: FIELDS, blob: Buffer.from('All.').toString('base64') }] }
  expect(await checkSkillFile(result, FIELDS, serving(aSkill()))).toBe(result)
})

it.each([
  ['digest', TEXT.replace('Do it.', 'Do xx.'), aSkill()],
  ['size', `${TEXT}more`, aSkill()],
  ['frontmatter', TEXT.replace('Fill', 'Steal'), aSkill(TEXT.replace('Fill', 'Steal'))],
  ['frontmatter', 'no frontmatter', aSkill('no frontmatter')],
])('refuses a file whose %s differs', async (what, text, skill) => {
  await expect(checkSkillFile(read(text), URI, serving(skill))).rejects.toThrow(
    `its ${what} differs`,
  )
})

it('lists the server again before it refuses: the skill may be newer than the listing', async () => {
  const newer = TEXT.replace('Do it.', 'Do it well.')
  let listing = { ...aListing('docs'), skills: [aSkill()] }
  const upstream = anUpstream({
    name: 'docs',
    list: async () => {
      listing = { ...aListing('docs'), skills: [aSkill(newer)] }
      return listing
    },
  })
  const live = {
    ...upstream,
    get listing() {
      return listing
    },
  }
  expect(await checkSkillFile(read(newer), URI, live)).toEqual(read(newer))
})

it('leaves out entries that no host could check', () => {
  const { resources, ...rest } = aSkill()
  const [own, other] = resources
  const wrong = [
    { ...rest },
    { ...rest, resources: [] },
    { ...rest, resources: [other] },
    { ...rest, resources: [own, own] },
    { ...rest, resources: [{ ...own, digest: 'sha256:XYZ' }] },
    { ...rest, resources: [{ ...own, size: '12' }] },
    { ...rest, resources, frontmatter: { name: 'pdf' } },
  ]
  expect(validSkills(serving(...wrong).listing)).toEqual([])
  const dynamic = { ...rest, resources: 'dynamic' }
  expect(validSkills(serving(dynamic, aSkill()).listing)).toHaveLength(2)
})

it('shows the folders of skills as their files make them', () => {
  const upstream = serving(aSkill())
  const childrenOf = (uri: string) => skillDirectory(upstream, uri)?.['resources']
  expect(childrenOf('skill://docs+/pdf')).toMatchObject([
    { uri: URI, name: 'SKILL.md' },
    { uri: 'skill://docs+/pdf/references', mimeType: 'inode/directory' },
  ])
  expect(childrenOf('skill://docs+')).toMatchObject([{ name: 'pdf', mimeType: 'inode/directory' }])
  expect(childrenOf(URI)).toBeUndefined()
  expect(childrenOf('skill://docs+/pd')).toBeUndefined()
})
