import { describe, expect, it } from 'vitest'
import { CodeIndex } from './code-index.ts'
import { Packages } from './packages.ts'

const WORKSPACE = [
  'Cargo.toml',
  'axum/Cargo.toml',
  'axum/src/json.rs',
  'axum-extra/Cargo.toml',
  'axum-extra/src/json_lines.rs',
  'scripts/release.rs',
]

describe('the packages of a checkout', () => {
  it('are beside the one that has the name of the project', () => {
    const packages = new Packages(WORKSPACE, 'axum')
    expect(packages.isBeside('axum/src/json.rs', [])).toBe(false)
    expect(packages.isBeside('axum-extra/src/json_lines.rs', [])).toBe(true)
  })

  it('are not beside it for a query that names them', () => {
    const packages = new Packages(WORKSPACE, 'axum')
    expect(packages.isBeside('axum-extra/src/json_lines.rs', ['extra', 'json'])).toBe(false)
    // The name of the project is in all their names.
    expect(packages.isBeside('axum-extra/src/json_lines.rs', ['axum', 'json'])).toBe(true)
  })

  it('are beside the root where the root has code of its own', () => {
    const paths = ['sinatra.gemspec', 'lib/base.rb', 'contrib/contrib.gemspec', 'contrib/a.rb']
    expect(new Packages(paths, 'checkout').isBeside('contrib/a.rb', [])).toBe(true)
    expect(new Packages(paths, 'checkout').isBeside('lib/base.rb', [])).toBe(false)
    const held = ['package.json', ...paths.slice(2), 'other/package.json', 'other/b.ts']
    expect(new Packages(held, 'checkout').isBeside('contrib/a.rb', [])).toBe(false)
  })

  it('are no packages in the midst of the source, or where there is one', () => {
    const parts = ['composer.json', 'src/Mail/composer.json', 'src/Mail/Mailer.php', 'src/App.php']
    expect(new Packages(parts, 'framework').isBeside('src/Mail/Mailer.php', [])).toBe(false)
    expect(new Packages(['a/package.json', 'a/x.ts', 'y.ts'], 'a').isBeside('y.ts', [])).toBe(false)
  })
})

it('a file of the main package comes before its like in another, and after it when that is named', () => {
  const index = new CodeIndex()
  index.useName('axum')
  const text = 'pub struct Json; // extracts a json body of a request'
  const add = (path: string) =>
    index.set({ path, chunks: [{ text, startLine: 1, endLine: 1, definitions: [] }] })
  for (const folder of ['axum-extra', 'axum', 'axum-macros']) {
    add(`${folder}/Cargo.toml`)
    add(`${folder}/src/json.rs`)
  }
  const first = (query: string) => index.search(query, { limit: 1 })[0]?.path
  expect(first('extract the json body')).toBe('axum/src/json.rs')
  expect(first('extract the json body in extra')).toBe('axum-extra/src/json.rs')
  index.delete('axum/Cargo.toml')
  index.useName('another')
  expect(first('extract the json body')).not.toBe('axum/src/json.rs')
})
