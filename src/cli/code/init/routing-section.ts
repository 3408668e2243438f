const BEGIN = '<!-- portolan code: begin -->'
const END = '<!-- portolan code: end -->'

const SECTION = `${BEGIN}

## Finding things in this code

The MCP server \`cocosearch\` has an index of this project and keeps it up to date. Ask it before Grep and Glob:

| to find                                 | ask                                      |
| --------------------------------------- | ---------------------------------------- |
| where something is done                 | \`search_code\` with words or a question   |
| where a name is defined                 | \`find_symbol\`                            |
| where it is used                        | \`find_references\`                        |
| what is in a file                       | \`outline\`                                |
| what a file needs                       | \`get_file_dependencies\`                  |
| what a change of it may break           | \`get_file_impact\`, \`get_batch_impact\`    |
| every line with a text or a pattern     | \`search_code\` with mode=exact or regex   |

Grep and Glob remain for file names and for what is not indexed. Where an answer says that there is no index, call \`index_codebase(path=".")\` once.

${END}`

/** A file of instructions with our section in it, once; everything around it stays as it is. */
export function withRoutingSection(text: string): string {
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)]
  if (begin >= 0 && end > begin)
    return text.slice(0, begin) + SECTION + text.slice(end + END.length)
  const before = text.trimEnd()
  return before === '' ? `${SECTION}\n` : `${before}\n\n${SECTION}\n`
}
