import type { JsonObject } from 'portolan'
import { list, object, text } from './values.ts'

/** Renders results of the pack as text. */
export const render = {
  breeds({ data }: JsonObject): string {
    const groups = list(data).map(object)
    return lines(
      groups.flatMap(({ id, name, breeds }) => [
        `${said(name)} (${said(id)})`,
        ...columns(list(breeds).map((breed) => [object(breed)['id'], object(breed)['name']])),
      ]),
    )
  },
  animal(animal: JsonObject): string {
    return lines(animalLines(animal))
  },
  profile({ details, lineage, progeny, missing }: JsonObject): string {
    const { generations } = object(lineage)
    const { total_count: total, animals } = object(progeny)
    return lines([
      ...animalLines(object(details)),
      ...list(generations).map((ids, n) => `generation ${n + 1}: ${list(ids).join(', ')}`),
      ...(progeny === null ? [] : [`${said(total)} offspring`]),
      ...columns(list(animals).map((row) => rowCells(object(row)))),
      ...Object.entries(object(missing)).map(([part, why]) => `${part} is missing: ${said(why)}`),
    ])
  },
  page({ results, total_count: total, page, page_size: size }: JsonObject): string {
    const rows = list(results).map(object)
    const before = Number(page) * Number(size)
    const last = before + rows.length
    const hasMore = typeof total === 'number' ? last < total : rows.length === size
    const shown = rows.length === 0 ? 'no animals' : `${before + 1} to ${last}`
    const more = hasMore ? `; more with --page ${Number(page) + 1}` : ''
    return lines([...columns(rows.map(rowCells)), `${shown} of ${said(total)}${more}`])
  },
}

export type Render = typeof render

const SHOWN_FIRST = [
  'breed',
  'gender',
  'date_of_birth',
  'status',
  'registration_number',
  'sire',
  'dam',
  'total_progeny',
] as const

function animalLines(animal: JsonObject): string[] {
  const { lpn_id: id, traits, indexes, contact_info: owner } = animal
  const facts = SHOWN_FIRST.map((name) => [name.replaceAll('_', ' '), animal[name]])
  return [
    said(id),
    ...columns(facts),
    'breeding values',
    ...columns(Object.entries(object(traits)).map(traitCells)),
    ...section('indexes', Object.entries(object(indexes))),
    ...section('owner', Object.entries(object(owner))),
  ]
}

function traitCells([name, raw]: [string, unknown]): unknown[] {
  const { value, accuracy, units } = object(raw)
  const percent = typeof accuracy === 'number' ? `${accuracy} %` : 'no accuracy'
  return [name, `${said(value)} ${units === null ? '' : said(units)}`.trim(), percent]
}

function rowCells({ lpn_id: id, sex, date_of_birth: born, status, sire, dam }: JsonObject) {
  return [id, sex, born, status, sire, dam]
}

function section(title: string, rows: readonly (readonly unknown[])[]): string[] {
  const cells = rows.map(([name, value]) => [String(name).replaceAll('_', ' '), value])
  return rows.length === 0 ? [] : [title, ...columns(cells)]
}

function columns(rows: readonly (readonly unknown[])[]): string[] {
  const texts = rows.map((row) => row.map(said))
  const widths = texts.reduce<number[]>(
    (widest, row) => row.map((cell, i) => Math.max(widest[i] ?? 0, cell.length)),
    [],
  )
  return texts.map((row) => `  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`)
}

/** Renders a missing value as a dash. */
function said(value: unknown): string {
  return typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : text(value) || '-'
}

function lines(all: readonly string[]): string {
  return all.map((line) => `${line.trimEnd()}\n`).join('')
}
