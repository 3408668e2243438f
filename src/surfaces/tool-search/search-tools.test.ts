import { expect, it } from 'vitest'
import type { Tool } from '../../gateway/upstream.ts'
import { searchTools } from './search-tools.ts'
import { createBuiltinEmbedder } from '../../search/embed/builtin-embedder.ts'
import { requestsOf } from './read-request.ts'
import { ToolIndex } from './tool-index.ts'
import { createToolMeanings } from './tool-meanings.ts'

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

function ask(requests: string[], more: Partial<Parameters<typeof searchTools>[1]> = {}) {
  const index = new ToolIndex()
  index.update(TOOLS)
  const answer = searchTools(index, { requests, permits: () => true, ...more })
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

it('names other tools for the same thing in another form, though words found the best for sure', () => {
  const index = new ToolIndex()
  index.update([
    aTool('git', 'get_repository', 'Show one'),
    aTool('git', 'archive_monorepositories', 'Put several away'),
    aTool('git', 'create_branch', 'Start a line of work'),
  ])
  const requests = ['show a repository']
  const { related } = searchTools(index, { requests, limit: 1, permits: () => true })
  expect(related).toEqual(['git.archive_monorepositories'])
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

const BROWSER = [
  aTool('playwright', 'browser_navigate', 'Navigate to a URL', ['url']),
  aTool('playwright', 'browser_take_screenshot', 'Take a screenshot of the current page'),
  aTool('firecrawl', 'crawl', 'Crawl a website and its subpages', ['url']),
  aTool('files', 'write_file', 'Create a file or overwrite it with new content', ['path']),
  aTool('sentry', 'update_issue', 'Change the status or assignee of an issue', ['issue']),
  aTool('linear', 'update_issue', 'Change the state of an issue', ['issue']),
]

async function askFused(query: string, more: Partial<Parameters<typeof searchTools>[1]> = {}) {
  const index = new ToolIndex()
  index.update([...TOOLS, ...BROWSER])
  const meanings = createToolMeanings({ own: async () => createBuiltinEmbedder() })
  meanings.update([...TOOLS, ...BROWSER])
  const requests = requestsOf(query)
  const { nearness } = await meanings.near(requests)
  const answer = searchTools(index, { requests, meanings: nearness, permits: () => true, ...more })
  const names = index
    .search(query, { limit: 5, accept: () => true, nearness: nearness?.[0] })
    .map(({ tool }) => `${tool.server}.${tool.name}`)
  return { answer, text: JSON.stringify(answer), names }
}

it.each([
  ['go to a website', 'playwright.browser_navigate'],
  ['make a picture of what I see', 'playwright.browser_take_screenshot'],
  ['which way is it from Rome to Paris', 'maps.get_directions'],
])('finds what is meant by "%s", whose words no tool has', async (query, wanted) => {
  expect((await askFused(query)).names.slice(0, 3)).toContain(wanted)
})

it('compares single words: what has none of the verbs, or more than was asked, comes later', async () => {
  const more = [
    aTool('playwright', 'browser_navigate_back', 'Go back to the previous page'),
    aTool('playwright', 'browser_click', 'Click on an element of a web page'),
    aTool('playwright', 'browser_close', 'Close the page'),
    aTool('tabs', 'list_pages', 'List the pages that are open in the browser'),
  ]
  const index = new ToolIndex()
  const meanings = createToolMeanings({ own: async () => createBuiltinEmbedder() })
  for (const each of [index, meanings]) each.update([...TOOLS, ...BROWSER, ...more])
  const first = async (query: string) => {
    const { nearness } = await meanings.near([query])
    const found = index.search(query, { limit: 1, accept: () => true, nearness: nearness?.[0] })
    return found[0]?.tool.name
  }
  expect(await first('open a site in the browser')).toBe('browser_navigate')
  expect(await first('go back')).toBe('browser_navigate_back')
  expect(await first('which pages are open')).toBe('list_pages')
})

it('gives every step of a request places of its own', async () => {
  const { answer } = await askFused('crawl the docs site and then write it to a file', { limit: 2 })
  expect(answer['tools']).toMatchObject([{ server: 'firecrawl' }, { server: 'files' }])
})

it('prefers the tools of a server that the request names', async () => {
  const [sentry] = (await askFused('change the status of an issue in Sentry')).names
  const [linear] = (await askFused('change the status of an issue in Linear')).names
  expect([sentry, linear]).toEqual(['sentry.update_issue', 'linear.update_issue'])
})

it.each(['browser_take_screenshot', 'browserTakeScreenshot', 'playwright.browser_take_screenshot'])(
  'takes %s for the name that it is',
  async (query) => {
    const { answer } = await askFused(query, { explain: true })
    expect(answer).toHaveProperty('tools.0.found_by', 'name')
    expect(answer).toHaveProperty('tools.0.call', expect.stringMatching(/^browser_take_screenshot/))
  },
)

it('marks the merely nearest as weak, and says which words would find more', async () => {
  const { answer } = await askFused('keep a copy of what I see')
  expect(answer).toMatchObject({
    tools: expect.arrayContaining([
      expect.objectContaining({ weak: true, score: expect.any(Number) }),
    ]),
    advice: expect.stringMatching(/terms in `also`; nearby: \w+/),
    next: expect.stringContaining('merely the nearest'),
  })
  expect((await askFused('take a screenshot')).text).not.toMatch(/weak|advice/)
  expect((await askFused('order a pizza with mushrooms')).answer).toEqual({
    tools: [],
    next: 'No tool matches: try other words, or list_servers.',
  })
})

it.each(['?', '截图', 'сделай снимок'])('calls no tool the nearest to %s', async (query) => {
  expect((await askFused(query)).answer).toEqual({
    tools: [],
    next: 'No tool matches: try other words, or list_servers.',
  })
})

async function firstOf(
  query: string,
  tools: readonly Tool[],
  permitted: (tool: Tool) => boolean = () => true,
): Promise<string | undefined> {
  const index = new ToolIndex()
  const meanings = createToolMeanings({ own: async () => createBuiltinEmbedder() })
  for (const each of [index, meanings]) each.update(tools)
  const { nearness } = await meanings.near([query])
  const answer = searchTools(index, { requests: [query], meanings: nearness, permits: permitted })
  const [first]: unknown[] = Array.isArray(answer['tools']) ? answer['tools'] : []
  return JSON.stringify(first)?.includes('"weak"')
    ? undefined
    : JSON.stringify(first)?.match(/[a-z_]+(?=\()/)?.[0]
}

it('says that nothing fits what other software is for, though a tool has the word', async () => {
  const about = 'Identify the authenticated user. Returns the name and the email address.'
  const tools = [...TOOLS, aTool('sentry', 'whoami', about)]
  expect(await firstOf('send an email', tools)).toBeUndefined()
  expect(await firstOf('my name and email address', tools)).toBe('whoami')
  const mail = aTool('post', 'send_mail', 'Send an email', ['to'])
  expect(await firstOf('send an email', [...tools, mail])).toBe('send_mail')
  // As if it were not there.
  const isOther = (tool: Tool) => tool !== mail
  expect(await firstOf('send an email', [...tools, mail], isOther)).toBeUndefined()
})

it('says which step nothing fits, and answers the others', async () => {
  const { answer } = await askFused('take a screenshot of the page, then bake a chocolate cake')
  expect(JSON.stringify(answer['tools'])).toContain('browser_take_screenshot')
  const two = await askFused('take a screenshot; bake a chocolate cake')
  expect(two.answer['nothing_fits']).toEqual(['bake a chocolate cake'])
})

it.each([
  ['one', 'two'],
  ['two', 'one'],
])('of two that do the same prefers %s, for which more speaks than for %s', (better, worse) => {
  const index = new ToolIndex()
  index.update(
    [better, worse].toSorted().map((server) => aTool(server, 'find_notes', 'Find notes')),
  )
  const first = (standing: (tool: Tool) => number) =>
    searchTools(index, { requests: ['find notes'], permits: () => true, standing, limit: 1 })
  expect(first(({ server }) => (server === better ? 0.3 : 0))).toMatchObject({
    tools: [{ server: better }],
  })
  expect(first(({ server }) => (server === worse ? -0.5 : 0))).toMatchObject({
    tools: [{ server: better }],
  })
})

it('says how each tool was found when asked to explain', async () => {
  const { text } = await askFused('navigate to a url', { explain: true })
  expect(text).toContain('"found_by":"both"')
  expect((await askFused('navigate to a url')).text).not.toContain('found_by')
})

it('answers a question with what looks, and an instruction with what changes', async () => {
  const tools = [
    aTool('mongo', 'insert_many', 'Insert an array of documents into a database'),
    aTool('mongo', 'count', 'Gets the number of documents in a database'),
    aTool('mongo', 'drop_database', 'Removes a database'),
  ]
  const index = new ToolIndex()
  const meanings = createToolMeanings({ own: async () => createBuiltinEmbedder() })
  for (const each of [index, meanings]) each.update([...TOOLS, ...tools])
  const first = async (query: string) => {
    const { nearness } = await meanings.near([query])
    const found = index.search(query, { limit: 1, accept: () => true, nearness: nearness?.[0] })
    return found[0]?.tool.name
  }
  expect(await first('how many customers are in the database')).toBe('count')
  expect(await first('insert many customers into the database')).toBe('insert_many')
})

it('prefers the tool whose name says what is to be done', async () => {
  const tools = [
    aTool('tabs', 'list_pages', 'Get a list of pages open in the browser.'),
    aTool('tabs', 'click', 'Perform click on a web page'),
    aTool('tabs', 'navigate', 'Navigate to a URL in the browser'),
  ]
  const meanings = createToolMeanings({ own: async () => createBuiltinEmbedder() })
  meanings.update(tools)
  const { nearness } = await meanings.near(['open a web page in the browser'])
  const does = (name: string) => nearness?.[0]?.words?.(`tabs\n${name}`)?.does ?? 0
  expect(does('navigate')).toBeGreaterThan(does('click') + 0.1)
  expect(does('navigate')).toBeGreaterThan(does('list_pages') + 0.1)
  const { nearness: noVerb } = await meanings.near(['web pages and the browser'])
  expect(noVerb?.[0]?.words?.('tabs\nnavigate')?.does).toBe(0)
})
