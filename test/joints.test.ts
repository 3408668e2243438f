import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { CIRCUMSTANCES, JOINTS } from './journeys/joints.ts'

/** The cells that users can meet and no test covers. There may only be fewer. */
const MAX_OPEN = 13

const ROOT = join(import.meta.dirname, '..')

const cells = Object.entries(JOINTS).flatMap(([feature, row]) =>
  CIRCUMSTANCES.map((circumstance) => ({
    place: `${feature} × ${circumstance}`,
    cell: row[circumstance],
  })),
)

function pathOf(file: string): string {
  if (file.startsWith('attack/')) return `bench/${file}.ts`
  return `${file.startsWith('src/') ? '' : 'test/'}${file}.test.ts`
}

/** What is wrong with the tests that a cell names. */
function problemsOf(cell: string): string[] {
  return cell.split(' && ').flatMap((named) => {
    const [, file = '', title = ''] = /^(\S+) > (.*)$/.exec(named) ?? []
    if (title.length < 10) return [`names no test: ${named}`]
    const path = join(ROOT, pathOf(file))
    if (!existsSync(path)) return [`there is no ${pathOf(file)}`]
    const isThere = [`'`, '`', '"'].some((quote) =>
      readFileSync(path, 'utf8').includes(`${quote}${title}`),
    )
    return isThere ? [] : [`${pathOf(file)} has no "${title}"`]
  })
}

it('every cell of features and circumstances names its tests, or says why it needs none', () => {
  const wrong = cells.flatMap(({ place, cell }) => {
    if (/^(never|open): \S.{10}/.test(cell)) return []
    return problemsOf(cell).map((problem) => `${place}: ${problem}`)
  })
  expect(wrong).toEqual([])
  expect(cells.length).toBeGreaterThanOrEqual(18 * CIRCUMSTANCES.length)
})

it('no more cells are open than were', () => {
  const open = cells.filter(({ cell }) => cell.startsWith('open: '))
  const lines = open.map(({ place, cell }) => `${place}: ${cell.slice('open: '.length)}`)
  process.stdout.write(`${open.length} open joints:\n${lines.join('\n')}\n`)
  expect(open.length).toBeLessThanOrEqual(MAX_OPEN)
})
