/**
 * Everyday words and the technical ones that a model would try instead. The list is general, and
 * knows neither tools nor questions: it stands in for a model that rephrases, so that a bench needs
 * none. A real model knows the product and does better.
 */
const RULES: readonly (readonly [pattern: RegExp, technical: string])[] = [
  [/\b(?:get rid of|throw away|throw out|erase|forget|scrap)\b/g, 'delete'],
  [/\b(?:kick|take away|take off)\b/g, 'remove'],
  [/\b(?:make|start|begin|open|set up|reserve)\b/g, 'create'],
  [/\b(?:put|attach|hand over)\b/g, 'upload add'],
  [/\b(?:fix|correct|raise|lower)\b/g, 'update edit'],
  [/\b(?:hang up|give up|stop)\b/g, 'cancel end'],
  [/\b(?:ring|phone)\b/g, 'call'],
  [/\b(?:text|sms)\b/g, 'send message'],
  [/\b(?:tell|let .* know|say to)\b/g, 'send message post'],
  [/\b(?:bill)\b/g, 'invoice'],
  [/\b(?:to-do|todo|job to do)\b/g, 'task'],
  [/\b(?:remark|opinion)\b/g, 'comment'],
  [/\b(?:password|passcode)\b/g, 'secret'],
  [/\b(?:bug report|bug|ticket)\b/g, 'issue'],
  [/\b(?:changes|my change)\b/g, 'pull request'],
  [/\b(?:look over|check over)\b/g, 'review'],
  [/\b(?:printed|print|wrote)\b/g, 'log output'],
  [/\b(?:copies)\b/g, 'replicas scale'],
  [/\b(?:machines?)\b/g, 'node server'],
  [/\b(?:app|program)\b/g, 'deployment service'],
  [/\b(?:folder)\b/g, 'directory'],
  [/\b(?:picture|photo|image|what I see|what is on screen)\b/g, 'screenshot image media'],
  [/\b(?:film)\b/g, 'record video screencast'],
  [/\b(?:keep in mind|remember|note that)\b/g, 'memory add observation'],
  [/\b(?:shrink|smaller)\b/g, 'compress gzip'],
  [/\b(?:how (?:many|much))\b/g, 'count size usage'],
  [/\b(?:quicker|faster)\b/g, 'index performance'],
  [/\b(?:slow|takes so long)\b/g, 'performance trace'],
  [/\b(?:people|everybody|somebody|someone|anybody)\b/g, 'user member'],
  [/\b(?:group)\b/g, 'team'],
  [/\b(?:crash|crashed|went wrong|broken)\b/g, 'error issue'],
  [/\b(?:laid out|layout)\b/g, 'tree structure'],
  [/\b(?:tidy|neat)\b/g, 'lint format'],
  [/\b(?:wiki)\b/g, 'page search'],
  [/\b(?:waiting in line|line)\b/g, 'queue member'],
  [/\b(?:taping|tape|recorded)\b/g, 'recording'],
  [/\b(?:site|website)\b/g, 'url page'],
  [/\b(?:asks whether|sure)\b/g, 'dialog confirm'],
  [/\b(?:no longer|not any more)\b/g, 'delete'],
  [/\b(?:call|name) (.*) (?:from now on|instead)\b/g, 'rename $1'],
  [/\b(?:overdue|due)\b/g, 'query filter date'],
  [/\b(?:blueprint|pattern)\b/g, 'template'],
  [/\b(?:buyer|client)\b/g, 'customer'],
  [/\b(?:chargeback)\b/g, 'dispute'],
  [/\b(?:likes?)\b/g, 'star'],
  [/\b(?:at night|every night|every day)\b/g, 'schedule cron'],
  [/\b(?:area|separate)\b/g, 'namespace'],
  [/\b(?:right to|rights|may)\b/g, 'role permission'],
  [/\b(?:happened|lately)\b/g, 'events history'],
  [/\b(?:column)\b/g, 'section'],
  [/\b(?:board)\b/g, 'project'],
  [/\b(?:card)\b/g, 'task'],
]

/** Rewords a request by the rules; what no rule knows stays as it is. */
export function reword(request: string): string {
  return RULES.reduce((text, [pattern, technical]) => text.replaceAll(pattern, technical), request)
}
