import { type Block, type Inline, readMarkdown } from './markdown.ts'

/** Markdown as elements of the page; nothing of it is HTML. */
export function MarkdownText({ text }: { readonly text: string }) {
  return (
    <div class="markdown">
      {readMarkdown(text).map((block, n) => (
        <BlockView key={n} block={block} />
      ))}
    </div>
  )
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.kind) {
    case 'heading':
      return (
        <p class={`markdown-heading level-${block.level}`}>
          <Parts parts={block.content} />
        </p>
      )
    case 'paragraph':
      return (
        <p class="pre">
          <Parts parts={block.content} />
        </p>
      )
    case 'quote':
      return (
        <blockquote class="pre">
          <Parts parts={block.content} />
        </blockquote>
      )
    case 'code':
      return (
        <pre class="block" tabIndex={0}>
          {block.text}
        </pre>
      )
    case 'rule':
      return <hr />
    case 'list': {
      const items = block.items.map((item, n) => (
        <li key={n}>
          <Parts parts={item} />
        </li>
      ))
      return block.ordered ? <ol>{items}</ol> : <ul>{items}</ul>
    }
    case 'table':
      return (
        <div class="table-box" tabIndex={0} role="region" aria-label="Table">
          <table>
            <thead>
              <tr>
                {block.head.map((cell, n) => (
                  <th key={n} scope="col">
                    <Parts parts={cell} />
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {block.rows.map((row, n) => (
                <tr key={n}>
                  {row.map((cell, m) => (
                    <td key={m}>
                      <Parts parts={cell} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )
  }
}

function Parts({ parts }: { readonly parts: readonly Inline[] }) {
  return (
    <>
      {parts.map((part, n) => (
        <Part key={n} part={part} />
      ))}
    </>
  )
}

function Part({ part }: { readonly part: Inline }) {
  switch (part.kind) {
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return <strong>{part.text}</strong>
    case 'em':
      return <em>{part.text}</em>
    case 'link':
      // The address is beside the text, because the server chose both.
      return (
        <a href={part.href} title={part.href} target="_blank" rel="noopener noreferrer nofollow">
          {part.text}
        </a>
      )
    case 'text':
      return <>{part.text}</>
  }
}
