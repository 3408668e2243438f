/** Technical words in names of tools, with the everyday words for them. */
const TERMS = `
  account: login, customer
  accounts: logins, customers
  aggregate: sum, average, total, group
  artifact: result of a build, file
  assignee: who is responsible
  attachment: file
  audit: check, who did what
  autoscaler: grow and shrink with the load
  balance: money, credit left
  billing: costs, payment
  binding: give a right to, connect
  blob: file content
  block: paragraph, part of a page
  board: columns, cards
  branch: line of work
  budget: how much may be spent
  calendar: appointments
  call: phone, ring, dial
  calls: phone calls, ring
  card: credit card
  cardholder: owner of a card
  channel: chat room
  charge: take money, payment
  chart: diagram, graph, plot
  checkout: switch branch
  children: parts, content
  claim: wish for
  click: press a button or link
  clone: copy, download
  cluster: machines
  collaborator: colleague, rights
  collection: table of documents
  column: field
  comment: remark, note
  commit: saved change, history, who changed what
  component: button, form, part of an interface
  conference: several people on a call
  config: settings, configuration
  console: errors and messages of a page
  contact: person, customer
  container: running service
  contributors: who worked on it
  count: how many
  coupon: discount, voucher
  crawl: all pages of a website
  credential: password, login
  cron: regularly, at a time
  cronjob: regularly, at a time
  css: color, font, margin, look
  customer: client, buyer
  database: data
  dependencies: what must be finished first
  deploy: put online, release
  deployment: app, rollout
  dialog: popup, confirmation
  diff: what changed, differences
  directions: route, how to get there
  directory: folder
  discount: cheaper
  dispute: chargeback, complaint about a payment
  distance: how far
  docs: documentation, manual, how to use
  domain: web address
  draft: unfinished
  drag: pull to another place
  drop: delete, get rid of
  dsn: key that an app needs to send errors
  elevation: height, how high
  emulate: simulate a phone, dark mode, slow connection
  enrich: find out more about
  entities: things, people
  enum: choices of a field
  env: environment variables, settings
  evaluate: run javascript code
  event: something that happened
  eviction: push off a machine
  exec: command, shell
  explain: why it is slow, how it works
  export: save to a file
  extract: pull data out of a text
  fill: type into a field
  follower: who gets news of it
  fork: copy a repository to an account
  geocode: coordinates of an address
  gist: code snippet
  goal: target, aim
  gzip: compress, zip
  heapsnapshot: memory use, memory leak
  hover: move the mouse over, point at
  incoming: received
  info: details, size, date
  ingress: traffic from outside
  insert: add, put in
  invitation: ask to join
  invoice: bill
  invoices: bills
  issue: bug, problem, ticket, task
  label: mark, category
  lighthouse: quality, score, accessibility, speed
  limit: how much may be used
  lint: code style, mistakes, problems
  lock: protect, nobody else may change
  logs: what happened, messages
  markdown: text of a page
  media: pictures, photos, files
  member: person, who is in a group
  members: people, who is in a group, who is waiting
  merge: accept changes, combine
  message: text, SMS, note
  messages: texts, SMS, notes
  metadata: details, size, date
  milestone: deadline, stage
  monitor: watch for changes, tell when
  namespace: area, part of a cluster
  navigate: open, go to, visit a website
  network: requests, responses, traffic
  node: machine
  nodes: things, people, facts
  notification: news, alert
  observations: facts, remember
  organization: company
  paper: scientific article, study
  parse: turn a document into text
  participant: person on a call
  patch: change
  payment: money
  payout: send money to our bank
  performance: speed, slow, loading time
  permission: right, may
  places: shops, restaurants, addresses
  pod: container, running program
  portfolio: group of projects
  presentation: slides
  price: how much it costs
  process: running program
  profile: details of a person
  project: board, piece of work
  promotion: discount, voucher
  protection: who may push, rules
  pull: proposed change
  pulls: proposed changes
  push: upload
  query: look up, find rows
  queue: waiting in line
  quota: limit, how much may be used
  quote: offer
  reaction: emoji, thumbs up, like
  recording: sound, tape
  referrer: sites that link here
  refund: money back
  registry: collection of ready-made parts
  relations: links between things
  release: version
  replay: recording of what a user did
  repositories: projects, code
  repository: project, code
  research: thorough report with sources
  retrieve: get, show, read
  reviewers: people who look over a change
  role: rights
  route: way
  ruleset: what is allowed
  runner: machine that builds
  scale: run more or fewer copies
  schema: structure, fields, columns
  scrape: text of a web page
  screencast: video recording of the screen
  screenshot: picture of a page, what it looks like
  secret: password, key
  section: column, part of a list
  sequentialthinking: think step by step
  sip: internet phone
  sitemap: list of pages, links
  snapshot: what is on a page
  spreadsheet: table, rows, columns
  staged: changes to be saved
  stargazers: fans
  stats: numbers, size
  stock: share price, company
  storage: space, disk
  story: remark, comment, what happened
  subscription: paid regularly, membership
  subtask: part of a task
  summary: in short
  tag: label
  task: to-do, job
  tasks: to-dos, what is left
  team: group of people
  template: blueprint
  terminal: card reader
  thread: conversation
  ticker: share price, company
  token: key, password
  trace: record, speed, slow
  transaction: payment
  transcript: what was said
  transcription: what was said, in writing
  tree: overview of folders
  upload: attach a file
  upsert: add or change
  usage: how much was used, costs
  validate: check for mistakes
  volume: disk space
  webhook: call when something happens
  whoami: my account, who am I
  whois: owner of a domain
  workflow: build, checks
  workspace: company, everything
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
