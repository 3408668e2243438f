/** Technical words in names of tools, with the everyday words for them. */
const TERMS = `
  aggregate: sum, average, total, group
  block: paragraph, part of a page
  channel: chat room
  chart: diagram, graph, plot
  checkout: switch branch
  children: parts, content
  click: press a button or link
  clone: copy, download
  collection: table of documents
  comment: remark, note
  commit: saved change, history, who changed what
  component: button, form, part of an interface
  console: errors and messages of a page
  contact: person, customer
  container: running service
  count: how many
  crawl: all pages of a website
  cron: regularly, at a time
  deploy: put online, release
  dialog: popup, confirmation
  diff: what changed, differences
  directions: route, how to get there
  directory: folder
  distance: how far
  docs: documentation, manual, how to use
  drag: pull to another place
  drop: delete, get rid of
  elevation: height, how high
  emulate: simulate a phone, dark mode, slow connection
  enrich: find out more about
  entities: things, people
  env: environment variables, settings
  evaluate: run javascript code
  event: something that happened
  explain: why it is slow, how it works
  export: save to a file
  extract: pull data out of a text
  fill: type into a field
  fork: copy a repository to an account
  geocode: coordinates of an address
  gzip: compress, zip
  heapsnapshot: memory use, memory leak
  hover: move the mouse over, point at
  info: details, size, date
  insert: add, put in
  issue: bug, problem, ticket, task
  lighthouse: quality, score, accessibility, speed
  lint: code style, mistakes, problems
  logs: what happened, messages
  merge: accept changes, combine
  metadata: details, size, date
  monitor: watch for changes, tell when
  navigate: open, go to, visit a website
  network: requests, responses, traffic
  nodes: things, people, facts
  observations: facts, remember
  paper: scientific article, study
  parse: turn a document into text
  patch: change
  performance: speed, slow, loading time
  places: shops, restaurants, addresses
  presentation: slides
  process: running program
  profile: details of a person
  pull: proposed change
  push: upload
  query: look up, find rows
  reaction: emoji, thumbs up, like
  relations: links between things
  release: version
  replay: recording of what a user did
  repositories: projects, code
  repository: project, code
  research: thorough report with sources
  retrieve: get, show, read
  schema: structure, fields, columns
  scrape: text of a web page
  screencast: video recording of the screen
  screenshot: picture of a page, what it looks like
  sequentialthinking: think step by step
  sitemap: list of pages, links
  snapshot: what is on a page
  spreadsheet: table, rows, columns
  staged: changes to be saved
  stats: numbers, size
  stock: share price, company
  storage: space, disk
  thread: conversation
  ticker: share price, company
  trace: record, speed, slow
  transcript: what was said
  tree: overview of folders
  upload: attach a file
  upsert: add or change
  validate: check for mistakes
  webhook: call when something happens
  whoami: my account, who am I
  whois: owner of a domain
`

const EVERYDAY = new Map(
  TERMS.trim()
    .split('\n')
    .map((line): [string, string] => {
      const [term = '', meaning = ''] = line.trim().split(': ')
      return [singular(term), meaning]
    }),
)

/** Returns everyday words for the technical words of a name; empty if it has none. */
export function everydayWordsOf(nameInWords: string): string {
  return nameInWords
    .split(' ')
    .flatMap((word) => EVERYDAY.get(singular(word)) ?? [])
    .join(', ')
}

function singular(word: string): string {
  return word.replace(/s$/, '')
}
