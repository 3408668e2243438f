import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli } from '../../test/support/run-cli.ts'
import { tempFolder } from '../../test/support/temp-folder.ts'
import { type DemoServer, startDemoServer } from './demo/server.ts'

const EWE = '6401492020FLE249'

let demo: DemoServer
beforeAll(async () => {
  demo = await startDemoServer({ animals: 500 })
})
afterAll(async () => demo[Symbol.asyncDispose]())

async function nsip(...words: readonly string[]) {
  const there = ['--base-url', demo.url, '--allow-private']
  return runCli(tempFolder(), ['api', 'nsip', ...words, ...there])
}

async function page(number: number): Promise<string> {
  const asked = ['--breed-id', '640', '--page', String(number), '--page-size', '3']
  return (await nsip('find', ...asked)).stdout
}

it('lists breeds by group', async () => {
  const { code, stdout } = await nsip('breeds')
  expect(code).toBe(0)
  expect(stdout).toMatch(/Hair \(64\)\n +640 +Katahdin\n/)
})

it('shows an animal with its breeding values, and in full its pedigree and offspring', async () => {
  const { stdout: short } = await nsip('search', EWE)
  expect(short).toMatch(/^6401492020FLE249\n +breed +Katahdin\n/)
  expect(short).toMatch(/BWT +0\.246 kg +74 %/)
  expect(short).not.toMatch(/offspring|generation/)
  const { stdout: full } = await nsip('search', EWE, '--full')
  expect(full).toContain('6 offspring')
  expect(full).toMatch(/generation 1: \d{10}[A-Z]{3}\d{3}, \d{10}[A-Z]{3}\d{3}\n/)
  expect(idsIn(full)).toHaveLength(7)
})

it('finds the animals of a breed page by page', async () => {
  const [first, second] = [await page(0), await page(1)]
  const total = demo.flock.filter(({ breedId }) => breedId === 640).length
  expect(first).toContain(`1 to 3 of ${total}; more with --page 1\n`)
  expect(idsIn(first)).toHaveLength(3)
  expect(idsIn(second).filter((id) => idsIn(first).includes(id))).toEqual([])
  expect(await page(Math.floor((total - 1) / 3))).not.toContain('more with')
  expect(await page(10_000)).toBe(`no animals of ${total}\n`)
})

it('exits with 0, with 1 when the animal is not known, and with 2 on wrong usage', async () => {
  const found = await nsip('search', EWE, '--full', '--json')
  expect(found.code).toBe(0)
  expect(JSON.parse(found.stdout)).toMatchObject({
    details: { lpn_id: EWE, traits: { BWT: { value: 0.246, accuracy: 74 } } },
    lineage: { lpn_id: EWE },
    progeny: { total_count: 6 },
  })
  expect(await nsip('search', '0000000000XXX000')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^ERROR: .*Check the id, or list animals with "find"\.\n$/),
  })
})

it.each([
  ['an id that the schema refuses', ['search', 'abc']],
  ['a page that is too large', ['find', '--page-size', '101']],
  ['no id', ['search']],
  ['a word too many', ['breeds', 'all']],
  ['an option it does not have', ['breeds', '--ful']],
  ['a command it does not have', ['bread']],
])('exits with 2 for %s', async (_, words) => {
  expect(await nsip(...words)).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^(ERROR|error): /),
  })
})

it('has a demo, and says what it can do', async () => {
  const { code, stdout } = await runCli(tempFolder(), ['api', 'nsip', 'breeds', '--demo'])
  expect(code).toBe(0)
  expect(stdout).toContain('640  Katahdin')
  expect((await nsip('help')).stdout).toContain('portolan api nsip find')
})

function idsIn(text: string): string[] {
  return text.match(/^ *\d{10}[A-Z]{3}\d{3}/gm) ?? []
}
