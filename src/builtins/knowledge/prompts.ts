import type { PromptDefinition } from '../../protocol/answer-prompts.ts'

const QUERY = { name: 'query', description: 'What it is about, in plain words', required: true }
const N_RESULTS = { name: 'n_results', description: 'How many passages at most' }
const THRESHOLD = { name: 'score_threshold', description: 'Passages below this score are left out' }

const SEARCH =
  'Use knowledge_search (n_results {n_results|20}, score_threshold {score_threshold|0})'
const CITE = 'Quote the citation of every passage you use, and say so where nothing was found.'

/** Ways of working with the documents that a model does with the search tools. */
export const KNOWLEDGE_PROMPTS: readonly PromptDefinition[] = [
  {
    name: 'knowledge_assess',
    title: 'Assess coverage',
    description: 'How well the knowledge base covers areas of knowledge, and what is missing.',
    arguments: [
      { name: 'areas', description: 'Areas to assess, separated by commas', required: true },
      { name: 'threshold', description: 'From which score an area counts as covered' },
    ],
    text: `Assess how well the knowledge base covers these areas: {areas}. Search each with knowledge_search (n_results 10). An area is covered if its best score is at least {threshold|0.5}. For a covered area, name its best document; for a gap, say why, its priority (high below a score of 0.3) and what to look for. Give the share that is covered.`,
  },
  {
    name: 'knowledge_rcca',
    title: 'Root cause and corrective action',
    description:
      'Find known failures like the one described: symptoms, root cause, contributing factors, resolution.',
    arguments: [QUERY, N_RESULTS, THRESHOLD],
    text: `Find known failures like this one: {query}. ${SEARCH}: once with the symptoms, once with "root cause failure", once with "corrective action resolution". For each failure you find, give its symptoms, root cause, contributing factors and resolution. ${CITE}`,
  },
  {
    name: 'knowledge_trade',
    title: 'Trade study',
    description: 'Evidence for comparing alternatives by criteria, with values and sources.',
    arguments: [
      QUERY,
      { name: 'alternatives', description: 'What is compared, separated by commas' },
      { name: 'criteria', description: 'What it is compared by, separated by commas' },
      N_RESULTS,
      THRESHOLD,
    ],
    text: `Compare the alternatives for: {query}. Alternatives: {alternatives|those that the documents name}. Criteria: {criteria|those that the documents compare by}. ${SEARCH} for each alternative with each criterion. Make a table with the evidence, its value with unit, and its source. ${CITE}`,
  },
  {
    name: 'knowledge_explore',
    title: 'Explore a topic',
    description:
      'A topic from several sides: definitions, examples, standards, best practices, or facets of your own.',
    arguments: [
      QUERY,
      { name: 'facets', description: 'Instead of the four usual ones, separated by commas' },
      N_RESULTS,
      THRESHOLD,
    ],
    text: `Explore this topic: {query}. Facets: {facets|definitions, examples, standards, best practices}. ${SEARCH} for each facet, knowledge_lookup for terms and knowledge_requirements for what binds. Summarise each facet, and say how much there is for it. ${CITE}`,
  },
  {
    name: 'knowledge_plan',
    title: 'Support for planning',
    description: 'Templates, risks, lessons learned and precedents for a piece of work.',
    arguments: [
      QUERY,
      { name: 'categories', description: 'Instead of the four usual ones, separated by commas' },
      N_RESULTS,
      THRESHOLD,
    ],
    text: `Find what helps to plan this work: {query}. Categories: {categories|templates, risks, lessons learned, precedents}. ${SEARCH} for each category. List what to reuse, what to watch for and what comparable work showed. ${CITE}`,
  },
]
