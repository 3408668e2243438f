/** One bench: `npm run bench -- <name>`. */
export interface Bench {
  /** What it measures, in one line. */
  readonly about: string
  /** The file in this folder, if it is not `<name>.ts`. */
  readonly file?: string
  /** Starts the built program. */
  readonly needsBuild?: true
  /** Measures our code in its own process, where tsx would distort the figures. */
  readonly stripTypes?: true
  readonly heapMb?: number
}

export const BENCHES: Readonly<Record<string, Bench>> = {
  gateway: {
    about: 'a call through Portolan, beside a direct call and a bare pass-through',
    needsBuild: true,
  },
  layers: { about: 'layers that have nothing to do, and building the chain', stripTypes: true },
  telemetry: { about: 'what exported traces and metrics cost a call', stripTypes: true },
  dashboard: {
    about: 'the pages over a million audit lines and 500 agents, and what they cost a call',
    stripTypes: true,
    needsBuild: true,
  },
  'sign-in': { about: 'checking an access token', stripTypes: true },
  sessions: { about: 'the memory of an idle client', needsBuild: true },
  shared: {
    about: 'what clients save that share a gateway, and what its bridge costs',
    needsBuild: true,
  },
  sandbox: { about: 'what a sandbox adds to the start of a server' },
  packages: { about: 'how long servers of npx take to start, with npx and pinned' },
  leaks: { about: 'the memory of a gateway over 50,000 calls', needsBuild: true },
  soak: {
    about: 'mixed traffic for minutes: are children, descriptors and memory given back?',
    file: 'mixed-soak.ts',
    needsBuild: true,
  },
  load: { about: 'a running gateway of yours under load: give its address' },
  scale: { about: 'one, two and three replicas, and one killed under load', needsBuild: true },
  engines: { about: 'what one call costs Redis and PostgreSQL' },
  attack: {
    about: 'families of attacks, and what they reach',
    file: 'attack/attack.ts',
    needsBuild: true,
  },
  context: { about: 'what shaping results saves and costs', stripTypes: true },
  scan: { about: 'published attacks that the scan finds, and false alarms', stripTypes: true },
  fatigue: {
    about: 'changes of published servers that are held, over their last versions',
    stripTypes: true,
  },
  tools: { about: 'how well find_tools finds', stripTypes: true },
  meaning: { about: 'what vectors add to words, on all sets of questions' },
  scripts: { about: 'what scripts save and cost, without a model', needsBuild: true },
  apis: {
    about: 'API descriptions as tools: cost, and whether calls arrive as described',
    needsBuild: true,
    stripTypes: true,
    heapMb: 4096,
  },
  'http-caching': {
    about: 'the public cases for HTTP caches, through the cache for APIs (--cases <checkout>)',
    needsBuild: true,
    stripTypes: true,
  },
  specs: { about: 'imports and calls every API description of a folder', stripTypes: true },
  code: { about: 'code search: quality and speed over a folder of repositories' },
  traces: { about: 'search and writes with 100,000 traces' },
  knowledge: { about: 'search in standards: questions labelled by clause' },
  clauses: { about: 'whether paragraphs of manuals are cited under the right clause' },
  normative: { about: 'whether "this clause is normative" is right' },
  questions: { about: 'questions about manuals in PDF', file: 'manual-questions.ts' },
  office: { about: 'documents of LibreOffice beside the pages that they come from' },
}
