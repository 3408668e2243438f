import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aCodeClient } from '../../test/support/code-project.ts'
import {
  type RunningKnowledge,
  listOf,
  startKnowledge,
} from '../../test/support/knowledge-service.ts'
import { PLANTED_REPOSITORIES } from '../../test/support/planted-repositories.ts'

let knowledge: RunningKnowledge
beforeEach(async () => {
  knowledge = await startKnowledge()
})
afterEach(async () => knowledge.close())

const marks = () => readdirSync(knowledge.home).filter((name) => name.startsWith('mark'))

describe.each(Object.entries(PLANTED_REPOSITORIES))('%s', (_, plant) => {
  const planted = async () => {
    const folder = join(knowledge.home, 'planted')
    await mkdir(folder)
    plant(folder, join(knowledge.home, 'mark'))
    const inner = join(folder, 'docs')
    return existsSync(inner) ? inner : folder
  }

  it('runs nothing when its documents are read', async () => {
    const folder = await planted()
    const answer = await knowledge.ask('knowledge_ingest', { url: folder })
    expect(answer).toMatchObject({ status: 'complete' })
    const sources = listOf(await knowledge.ask('knowledge_sources'), 'sources')
    expect(sources.map(({ title }) => title)).toEqual(['Alpha'])
    expect(marks()).toEqual([])
  })

  it('runs nothing when its code is indexed and described', async () => {
    const folder = await planted()
    const client = aCodeClient(folder)
    const { index_name: name } = await client.object('index_codebase', { path: folder })
    await client.object('index_stats', { index_name: name })
    // A second visit finds the saved index, whose commit is the one of the folder.
    await client.object('index_codebase', { path: folder })
    await client.call('search_code', { query: 'alpha' })
    expect(marks()).toEqual([])
  })
})

it('shows no file that the head of a repository names', async () => {
  const folder = join(knowledge.home, 'planted')
  execFileSync('git', ['init', '-q', folder])
  writeFileSync(join(folder, 'a.ts'), 'export const alpha = 1\n')
  writeFileSync(join(knowledge.home, 'secret'), 'the secret')
  const client = aCodeClient(folder)
  for (const head of ['ref: refs/../../../secret', 'ref: ../../secret', 'the secret']) {
    writeFileSync(join(folder, '.git/HEAD'), `${head}\n`)
    const { index_name: name } = await client.object('index_codebase', { path: folder })
    const stats = await client.object('index_stats', { index_name: name })
    expect(stats).toMatchObject({ commit_hash: null, commits_behind: null })
    expect(JSON.stringify(stats)).not.toContain('the secret')
  }
})
