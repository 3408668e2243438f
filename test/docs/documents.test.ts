import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parseDocument } from './document.ts'
import { createDatabase, startPostgres } from '../support/postgres.ts'
import { followDocument } from './follow-document.ts'

const ROOT = resolve(import.meta.dirname, '../..')
/** `UPDATE_DOCS=1` writes what commands print into the documents, wherever they say something else. */
const UPDATE = process.env['UPDATE_DOCS'] === '1'

const documents = ['docs/guides', 'docs/coming-from'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
)
// The README is followed with what was packed and installed: see test/package.
if (UPDATE) documents.push('README.md')

it.each(documents)('%s: every command does what it says', { timeout: 180_000 }, async (path) => {
  const file = join(ROOT, path)
  const text = readFileSync(file, 'utf8')
  const needs = parseDocument(text).needs.map(async (name) => [name, await provide(name)] as const)
  const env = Object.fromEntries(await Promise.all(needs))
  const { wrong, corrected } = await followDocument(text, { env })
  if (UPDATE) writeFileSync(file, corrected)
  expect(wrong).toEqual([])
})

it.each(documents)('%s: is no longer than a person reads at once', (path) => {
  const words = readFileSync(join(ROOT, path), 'utf8').split(/\s+/).length
  expect(words).toBeLessThanOrEqual(1_500)
})

it.each(documents)('%s: what is not run says why', (path) => {
  const { unrun } = parseDocument(readFileSync(join(ROOT, path), 'utf8'))
  expect(unrun.filter(({ reason }) => reason === undefined)).toEqual([])
})

async function provide(name: string): Promise<string> {
  if (name !== 'PORTOLAN_DATABASE_URL') throw new Error(`Nobody here can provide ${name}`)
  const server = await startPostgres()
  onTestFinished(async () => server.stop())
  return createDatabase(server.url)
}
