import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { aProject } from '../../../../../test/support/code-project.ts'
import { projectAt } from '../../project/find-project.ts'
import { DEFAULT_SETTINGS } from './index-settings.ts'
import { ProjectIndex } from './project-index.ts'
import { refresh } from './refresh.ts'

async function anIndex(files: Readonly<Record<string, string>>) {
  const root = aProject(files)
  const index = ProjectIndex.empty(projectAt(root), 'x', DEFAULT_SETTINGS)
  await refresh(index)
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text)
  const targets = (path: string) => index.graph.dependencies(path).map(({ target }) => target)
  const sources = (path: string) => index.graph.dependents(path).map(({ source }) => source)
  return { root, index, write, targets, sources }
}

const tsconfig = (folder: string): string =>
  `{"compilerOptions":{"paths":{"@/*":["./${folder}/*"]}}}\n`

const THREE = { 'a.ts': `import './b'\n`, 'b.ts': 'export {}\n', 'c.ts': 'export {}\n' }

describe('the graph of a project', () => {
  it('is there when the index is, and stays the same while nothing changes', async () => {
    const { index } = await anIndex(THREE)
    const { graph } = index
    await index.prepareGraph()
    await refresh(index)
    expect(index.graph).toBe(graph)
  })

  it('does not wait for a manifest that is a pipe', async () => {
    const { root, index, write, targets } = await anIndex({ 'a.ts': '\n', 'b.ts': '\n' })
    execFileSync('mkfifo', [join(root, 'package.json'), join(root, 'tsconfig.json')])
    write('a.ts', `import 'x'\nimport './b'\n`)
    index.take({ path: 'a.ts', size: 1, mtimeMs: 1 })
    expect(targets('a.ts')).toEqual([null, 'b.ts'])
  })

  it('is updated when a file imports something else', async () => {
    const { index, write, targets, sources } = await anIndex(THREE)
    const { graph } = index
    write('a.ts', `import './c'\n`)
    await refresh(index)
    expect([targets('a.ts'), sources('b.ts'), sources('c.ts')]).toEqual([['c.ts'], [], ['a.ts']])
    expect(index.graph).toBe(graph)
  })

  it('is made again when a file comes or goes: names may mean others then', async () => {
    const { root, index, write, targets } = await anIndex({ 'a.ts': `import './new'\n` })
    expect(targets('a.ts')).toEqual([null])
    write('new.ts', '')
    await refresh(index)
    expect(targets('a.ts')).toEqual(['new.ts'])
    rmSync(join(root, 'new.ts'))
    await refresh(index)
    expect(targets('a.ts')).toEqual([null])
  })

  it('is made again when a file changes by which imports are understood', async () => {
    const { index, write, targets } = await anIndex({
      'tsconfig.json': tsconfig('one'),
      'a.ts': `import '@/x'\n`,
      'one/x.ts': '',
      'two/x.ts': '',
    })
    expect(targets('a.ts')).toEqual(['one/x.ts'])
    write('tsconfig.json', tsconfig('two'))
    await refresh(index)
    expect(targets('a.ts')).toEqual(['two/x.ts'])
  })

  it('is saved with the index, so that nothing is looked up again', async () => {
    const { index } = await anIndex(THREE)
    const saved = index.toSaved()
    // Another answer than looking up would give: that of the file.
    const links = [1, 1, 2, 0, 0]
    expect(saved.graph.links).toEqual([1, 1, 1, 0, 0])
    const graph = { ...saved.graph, links }
    const loaded = ProjectIndex.restore(index.project, index.lexical, { ...saved, graph })
    expect(loaded.graph.dependencies('a.ts')).toMatchObject([{ target: 'c.ts', module: './b' }])
    expect(loaded.graph.dependents('c.ts')).toMatchObject([{ source: 'a.ts' }])
    expect(loaded.toSaved().graph).toMatchObject({ links })
  })

  it('that was saved is updated like any other', async () => {
    const { index, root, write } = await anIndex(THREE)
    const loaded = ProjectIndex.restore(index.project, index.lexical, index.toSaved())
    write('a.ts', `import './c'\n`)
    await refresh(loaded)
    expect(loaded.graph.dependencies('a.ts')).toMatchObject([{ target: 'c.ts' }])
    const again = ProjectIndex.restore(index.project, index.lexical, loaded.toSaved())
    rmSync(join(root, 'c.ts'))
    await refresh(again)
    expect(again.graph.dependencies('a.ts')).toMatchObject([{ target: null }])
  })

  it('that was saved is not used when a manifest has changed since, indexed or not', async () => {
    const { index, write } = await anIndex({
      'go.mod': 'module m\n',
      'main.go': 'package main\nimport "m/pkg"\n',
      'pkg/run.go': 'package pkg\n',
    })
    const saved = index.toSaved()
    expect(index.graph.dependencies('main.go')).toMatchObject([{ target: 'pkg/run.go' }])
    write('go.mod', 'module other\n')
    const loaded = ProjectIndex.restore(index.project, index.lexical, saved)
    expect(loaded.graph.dependencies('main.go')).toMatchObject([{ target: null }])
  })

  it('follows a type to the file it moves to', async () => {
    const { index, write, targets } = await anIndex({
      'App.cs': 'using Shop;\nclass App { Order order; }\n',
      'One.cs': 'namespace Shop;\nclass Order {}\n',
      'Two.cs': 'namespace Shop;\nclass Line {}\n',
    })
    expect(targets('App.cs')).toEqual(['One.cs'])
    write('One.cs', 'namespace Shop;\nclass Price {}\n')
    write('Two.cs', 'namespace Shop;\nclass Order {}\n')
    await refresh(index)
    expect(targets('App.cs')).toEqual(['Two.cs'])
  })

  it('includes what changes while it is being built', async () => {
    const { index, write, targets } = await anIndex(THREE)
    write('d.ts', `import './a'\n`)
    await refresh(index)
    const prepared = index.prepareGraph()
    write('e.ts', `import './d'\n`)
    await Promise.all([prepared, refresh(index)])
    expect([targets('d.ts'), targets('e.ts')]).toEqual([['a.ts'], ['d.ts']])
  })
})
