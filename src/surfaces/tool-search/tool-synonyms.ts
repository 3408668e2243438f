/** Words that people and makers of tools use for the same thing; each line is one thing. */
const GROUPS = `
  create add new make open
  delete remove erase drop forget destroy
  update edit change modify set
  rename move
  list show all
  get read fetch load retrieve
  search find look query
  send post
  reply answer respond
  run execute trigger start dispatch
  cancel stop abort
  folder directory dir
  picture image photo screenshot
  navigate open go visit browse
  page website site url
  repo repository project
  pr pull
  issue bug ticket error
  error exception crash failure
  log console message
  slow performance speed explain
  count many number
  table collection
  note page
  lint style problem
  resolved close update
  nearby local place
  access permission collaborator
  approve review
  user person member people
  email mail
  doc document
  fact observation
  log logs output
  dump export everything
  size big large
  route direction
  conversation thread
`

const SYNONYMS = new Map<string, readonly string[]>()
for (const line of GROUPS.trim().split('\n')) {
  const words = line.trim().split(' ')
  for (const word of words) {
    const others = words.filter((other) => other !== word)
    SYNONYMS.set(word, [...(SYNONYMS.get(word) ?? []), ...others])
  }
}

/** Returns synonyms of the words of a query. */
export function synonymsOf(query: string): string[] {
  const words = query.toLowerCase().match(/[a-z]+/g) ?? []
  const asked = new Set(words)
  const found = words.flatMap(
    (word) => SYNONYMS.get(word) ?? SYNONYMS.get(word.replace(/s$/, '')) ?? [],
  )
  return [...new Set(found)].filter((word) => !asked.has(word))
}
