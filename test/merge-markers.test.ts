import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

// Also as a formatter leaves them: in a cell of a table, or as seven levels of quotation.
const MARKER = /^(?:\|\s*)?(?:<{7} |={7}(?:\s*\||$)|>{7} )|^(?:> ){6}> /m

it('no file of the repository holds the marks of an unfinished merge', () => {
  const files = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8' })
    .split('\0')
    .filter((file) => /\.(ts|tsx|mjs|md|json|ya?ml|css|html|sh)$/.test(file))
  expect(files.length).toBeGreaterThan(1000)
  const marked = files.filter((file) => MARKER.test(read(file)))
  expect(marked).toEqual([])
})

it.each(['<<<<<<< HEAD', '| =======   |', '=======', '>>>>>>> main', '> > > > > > > main'])(
  'knows %s when it sees it',
  (mark) => expect(MARKER.test(`before\n${mark}\nafter`)).toBe(true),
)

function read(file: string): string {
  try {
    return readFileSync(join(ROOT, file), 'utf8')
  } catch {
    return ''
  }
}
