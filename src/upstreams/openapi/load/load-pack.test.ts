import { execFileSync } from 'node:child_process'
import { describe, expect, it, vi } from 'vitest'
import { aSpec } from '../../../../test/support/a-spec.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import { readFolderPack } from './folder-packs.ts'
import { loadPack } from './load-pack.ts'

const pack = (title: string) => ({ openapi: './openapi.json', title })

function aFolder(trusted: (text: string) => boolean = () => true) {
  const [folder, home] = [tempFolder(), tempFolder()]
  const write = (name: string, content: object) => {
    folder.write(`apis/${name}/openapi.json`, aSpec({}))
    folder.write(`apis/${name}/pack.yaml`, content)
  }
  const load = async (name: string) =>
    loadPack(name, {
      home: home.path,
      folder: { path: folder.path, trusts: (_, text) => trusted(text) },
    })
  return { folder, home, write, load }
}

it('a pack has the variables of its folder, and not those of the process', async () => {
  vi.stubEnv('OWNER', 'the process')
  const { home } = aFolder()
  home.write('apis/own/openapi.json', aSpec({}))
  home.write('apis/own/pack.yaml', pack('of ${OWNER}'))
  const titleFor = async (env: Record<string, string>) =>
    (await loadPack('own', { home: home.path, env }))?.config.title
  expect(await titleFor({ OWNER: 'ada' })).toBe('of ada')
  expect(await titleFor({ OWNER: 'bob' })).toBe('of bob')
  await expect(titleFor({})).rejects.toThrow('The environment variable OWNER is not set')
  vi.unstubAllEnvs()
})

describe('a pack of the working folder', () => {
  it('takes the place of none in the data folder, and of none that ships', async () => {
    const { home, write, load } = aFolder()
    for (const name of ['nsip', 'pets', 'own']) write(name, pack('of the folder'))
    home.write('apis/pets/pack.yaml', pack('of the data folder'))
    expect((await load('nsip'))?.config.title).toBe('NSIP Sheep Breeding Data')
    expect((await load('pets'))?.config.title).toBe('of the data folder')
    expect((await load('own'))?.config.title).toBe('of the folder')
  })

  it('is refused with the command that trusts it, and by a caller that names no folder', async () => {
    const { folder, home, write, load } = aFolder(() => false)
    write('own', pack('x'))
    await expect(load('own')).rejects.toThrow(`portolan trust ${folder.path}`)
    expect(await loadPack('own', { home: home.path })).toBeUndefined()
  })

  it('is another one after any change to any of its files', async () => {
    const { folder, write } = aFolder()
    write('own', pack('x'))
    folder.write('apis/own/code/deep.mjs', '1')
    const text = async () => (await readFolderPack(folder.path, 'own'))?.text
    const seen = [await text()]
    folder.write('apis/own/code/deep.mjs', '2')
    seen.push(await text())
    folder.write('apis/own/code/new\n.mjs', '2')
    seen.push(await text())
    expect(new Set(seen).size).toBe(3)
  })

  it('cannot have a pipe among its files, which nobody would finish reading', async () => {
    const { folder, write, load } = aFolder()
    write('own', pack('x'))
    execFileSync('mkfifo', [folder.file('apis/own/data')])
    await expect(load('own')).rejects.toThrow('has data, which is neither a plain file')
  })
})
