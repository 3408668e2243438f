import { expect, it } from 'vitest'
import type { Tool } from '../../gateway/upstream.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { searchTools } from './search-tools.ts'
import { ToolIndex } from './tool-index.ts'

function aTool(server: string, name: string, description: string, parameters: string[] = []): Tool {
  const properties = Object.fromEntries(
    parameters.map((parameter) => [parameter, { type: 'string' }]),
  )
  return {
    server,
    name,
    definition: {
      name,
      description,
      inputSchema: { type: 'object', properties, required: parameters },
    },
    readOnly: /^(get|list|search|read)/.test(name),
  }
}

const TOOLS = [
  aTool('github', 'create_issue', 'Open a new issue in a repository. More text.', [
    'owner',
    'title',
  ]),
  aTool('github', 'list_issues', 'List issues of a repository', ['owner']),
  aTool('github', 'update_issue', 'Change an issue', ['owner', 'issue_number']),
  aTool('github', 'create_branch', 'Create a branch in a repository', ['owner', 'branch']),
  aTool('slack', 'post_message', 'Send a message to a channel', ['channel', 'text']),
  aTool('files', 'read_text_file', 'Read the contents of a file', ['path']),
  aTool('maps', 'get_directions', 'Route between two places', ['from', 'to']),
]

const permits = ({ name }: Tool) => name !== 'create_issue'

function ask(queries: string[], more: Partial<Parameters<typeof searchTools>[1]> = {}) {
  const index = new ToolIndex()
  index.update(TOOLS)
  const answer = searchTools(index, { queries, permits: () => true, ...more })
  return { index, answer, calls: JSON.stringify(answer['tools']).match(/[a-z_]+(?=\()/g) ?? [] }
}

it('puts the tool that is asked for first, as a line to call it by', () => {
  const { answer } = ask(['open an issue'], { limit: 1 })
  expect(answer).toMatchObject({
    tools: [
      {
        server: 'github',
        call: 'create_issue(owner: string, title: string)',
        about: 'Open a new issue in a repository.',
        does: 'write',
      },
    ],
    next: expect.stringContaining('execute_tool'),
  })
})

it.each([
  ['message to channel', 'post_message'],
  ['creating branches', 'create_branch'],
  ['issueslist', 'list_issues'],
  ['directons', 'get_directions'],
  ['issue_number', 'update_issue'],
])('finds %s under %s', (query, name) => {
  expect(ask([query]).calls[0]).toBe(name)
})

it('answers several questions at once, each with its best', () => {
  const { calls } = ask(['send a message', 'read a file', 'route between places'], { limit: 3 })
  expect(calls.toSorted()).toEqual(['get_directions', 'post_message', 'read_text_file'])
})

it('shows only what the agent may use, on the servers asked about', () => {
  expect(JSON.stringify(ask(['create an issue'], { permits }).answer)).not.toContain('create_issue')
  expect(ask(['issue message'], { servers: ['slack'] }).calls).toEqual(['post_message'])
})

it('names other tools for the same thing', () => {
  const { answer } = ask(['open a new issue'], { limit: 1 })
  expect(answer['related']).toEqual(
    expect.arrayContaining(['github.update_issue', 'github.list_issues']),
  )
})

it('stays within the tokens it is given and says how many it left out', () => {
  const { answer } = ask(['repository issue file message'], { limit: 7, maxTokens: 160 })
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(160)
  expect(answer['omitted']).toBeGreaterThan(0)
})

it('says so when nothing matches', () => {
  expect(ask(['zzqqxx']).answer).toEqual({
    tools: [],
    next: 'No tool matches: try other words, or list_servers.',
  })
})

it('follows changes of the catalogue', () => {
  const { index } = ask([])
  const [first, ...rest] = TOOLS
  index.update([...rest, aTool('new', 'translate_text', 'Translate a text')])
  const names = (query: string) =>
    index.search(query, { limit: 3, accept: () => true }).map(({ tool }) => tool.name)
  expect(names('translate')).toEqual(['translate_text'])
  expect(names('open new issue')).not.toContain(first?.name)
  expect(index.size).toBe(TOOLS.length)
})
