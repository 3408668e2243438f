import { afterAll, beforeAll, expect, it } from 'vitest'
import { runCli, runEntry } from '../../../../test/support/run-cli.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type { JsonObject } from '../../../base/json/json.ts'
import {
  type DemoServer,
  startDemoServer,
} from '../../../upstreams/openapi/extensions/nsip/demo/server.ts'
import { askNsip } from './ask-nsip.ts'
import { render } from './render.ts'

const EWE = '6401492020FLE249'

let demo: DemoServer
beforeAll(async () => {
  demo = await startDemoServer({ animals: 500 })
})
afterAll(async () => demo[Symbol.asyncDispose]())

async function ask(tool: string, args: JsonObject = {}) {
  return askNsip(tool, args, { baseUrl: demo.url, allowPrivate: true })
}

async function page(number: number) {
  return render.page(
    await ask('nsip_search_animals', { breed_id: 640, page: number, page_size: 3 }),
  )
}

async function nsipSearch(...args: readonly string[]) {
  const there = ['--base-url', demo.url, '--allow-private']
  return runEntry(tempFolder(), ['nsip-search', ...args, ...there])
}

it('lists breeds by group', async () => {
  expect(render.breeds(await ask('nsip_list_breeds'))).toMatch(/Hair \(64\)\n +640 +Katahdin\n/)
})

it('shows an animal with its breeding values, and in full its pedigree and offspring', async () => {
  const short = render.animal(await ask('nsip_get_animal', { search_string: EWE }))
  expect(short).toMatch(/^6401492020FLE249\n +breed +Katahdin\n/)
  expect(short).toMatch(/BWT +0\.246 kg +74 %/)
  expect(short).not.toMatch(/offspring|generation/)
  const full = render.profile(await ask('nsip_search_by_lpn', { lpn_id: EWE }))
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
  const found = await nsipSearch('search', EWE, '--full', '--json')
  expect(found.code).toBe(0)
  expect(JSON.parse(found.stdout)).toMatchObject({
    details: { lpn_id: EWE, traits: { BWT: { value: 0.246, accuracy: 74 } } },
    lineage: { lpn_id: EWE },
    progeny: { total_count: 6 },
  })
  expect(await nsipSearch('search', '0000000000XXX000')).toEqual({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^ERROR: .*Check the id, or list animals with "find"\.\n$/),
  })
  // Too short for an id, refused by the schema; too large, refused by the option.
  expect(await nsipSearch('search', 'abc')).toMatchObject({ code: 2, stdout: '' })
  expect(await nsipSearch('find', '--page-size', '101')).toMatchObject({ code: 2, stdout: '' })
})

it('is also a command of portolan, with a demo', async () => {
  const { code, stdout } = await runCli(tempFolder(), ['api', 'nsip-search', 'breeds', '--demo'])
  expect(code).toBe(0)
  expect(stdout).toContain('640  Katahdin')
})

function idsIn(text: string): string[] {
  return text.match(/^ *\d{10}[A-Z]{3}\d{3}/gm) ?? []
}
