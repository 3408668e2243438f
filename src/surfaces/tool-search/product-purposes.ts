import { splitIdentifier } from '../../search/analyse/split-identifier.ts'

/** The purposes of well-known products, which the texts of their tools take for granted. */
const PRODUCTS = `
  airtable: spreadsheet, table, records
  airbnb: places to stay, booking
  apify: web scraping
  arxiv: scientific papers
  asana: tasks, projects
  atlassian: tickets, wiki
  aws: cloud, servers
  azure: cloud, servers
  bigquery: database, tables
  bitbucket: code, repositories
  box: files, folders
  brave: web search
  browserbase: web browser
  calendly: appointments, meetings
  chroma: vector database
  clickup: tasks, projects
  cloudflare: domains, hosting
  confluence: wiki, notes, documents
  context7: documentation of libraries
  datadog: monitoring, metrics, logs
  devtools: web browser, pages, debugging
  discord: chat, messages
  docker: containers
  dropbox: files, folders
  duckduckgo: web search
  elasticsearch: full-text search, logs
  elevenlabs: speech, voices
  eslint: code style, linter
  evernote: notes
  exa: web search
  figma: design
  filesystem: files and folders on disk
  firecrawl: web scraping, web pages
  git: version control
  github: code, repositories
  gitlab: code, repositories
  gmail: email
  grafana: monitoring, dashboards
  hubspot: customers, contacts, sales
  huggingface: machine learning models
  intercom: customer support
  jira: tickets, issues
  kubernetes: cluster, containers
  linear: tickets, issues
  linkedin: professional network, jobs
  mailchimp: email, newsletters
  maps: places, routes, addresses
  memory: facts to remember
  mixpanel: analytics
  mongo: database, documents
  mongodb: database, documents
  mysql: database, tables
  neo4j: graph database
  netlify: hosting, deployment
  newrelic: monitoring, metrics
  notion: wiki, notes, documents
  obsidian: notes
  okta: sign-in, users
  onedrive: files, folders
  outlook: email, calendar
  pagerduty: incidents, on-call
  paypal: payments
  perplexity: web search
  pinecone: vector database
  playwright: web browser, pages
  postgres: database, tables
  posthog: analytics
  puppeteer: web browser, pages
  qdrant: vector database
  reddit: forum, posts
  redis: cache, key-value store
  s3: files, storage
  salesforce: customers, sales
  selenium: web browser, pages
  sendgrid: email
  sentry: errors, crashes, monitoring
  shadcn: user interface components
  shopify: shop, products, orders
  slack: team chat, messages
  snowflake: database, tables
  spotify: music
  sqlite: database, tables
  stripe: payments, invoices
  supabase: database, tables
  tavily: web search
  teams: chat, meetings
  telegram: chat, messages
  terraform: infrastructure
  todoist: tasks, to-do list
  trello: boards, cards, tasks
  twilio: text messages, phone calls
  twitter: social network, posts
  vercel: hosting, deployment
  whatsapp: chat, messages
  wikipedia: encyclopedia
  wordpress: blog, posts
  youtube: videos
  zapier: automation
  zendesk: customer support, tickets
  zoom: video meetings
`

const PURPOSES = new Map(
  PRODUCTS.trim()
    .split('\n')
    .map((line): [string, string] => {
      const [name = '', purpose = ''] = line.trim().split(': ')
      return [name, purpose]
    }),
)

/** Other purposes of software: the categories of app stores and of lists of APIs. */
const KINDS = `
  accounting, advertising, auctions, audio conversion, bank accounts, bitcoin, books, builds,
  buying and selling, buying and selling shares, calories, campaigns, cells, certificates,
  concert tickets, continuous integration, contracts, cooking, courses, cryptocurrency,
  currency exchange, dating, deliveries, doctor appointments, events, films, flashcards, flights,
  followers, food delivery, foreign languages, friends, graphics, groceries, heart rate, heating,
  holidays, hotels, houses for sale, image generation, job applications, language models, lessons,
  lights, logos, malware, meals, money transfers, online shopping, package installation, parcels,
  passwords, PDF files, photo editing, photo sharing, presentations, recipes, rental cars, rides,
  running, salaries, series, server configuration, signatures, sleep, slides, smart home,
  song recognition, sound recording, speech transcription, spreadsheets, staff, steps, surveys,
  table reservations, taxes, taxi, text documents, text generation, text recognition in images,
  training, translation, video conversion, video games, virtual machines, viruses,
  weather forecast
`

/** All purposes of software. A tool without any of them does not answer a request for one. */
export const SUBJECTS: readonly string[] = [
  ...new Set([...PURPOSES.values(), KINDS.trim()].flatMap((list) => list.split(/,\s+/))),
]

/** Returns the purpose of a server that is named after a well-known product, else ''. */
export function purposeOf(server: string): string {
  const parts = splitIdentifier(server)
  // `GitHub` has two parts, `github-mcp` has the product as its first.
  const names = [parts.join(''), ...parts.map((part, at) => part + (parts[at + 1] ?? '')), ...parts]
  return names.map((name) => PURPOSES.get(name)).find((purpose) => purpose !== undefined) ?? ''
}
