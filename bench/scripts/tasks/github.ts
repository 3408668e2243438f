import { type Task, amount, tally, text } from '../task.ts'

const ISSUES = '/repos/acme/shop/issues'
const PULLS = '/repos/acme/shop/pulls'

/** Tasks over issues and pull requests, with GitHub's own API description. */
export const GITHUB_TASKS: readonly Task[] = [
  {
    name: 'issues by author, all pages',
    kind: 'paging',
    find: 'list repository issues',
    needs: ['github.issues_list-for-repo'],
    fields: { 'github.issues_list-for-repo': ['user.login'] },
    code: `const counts = {}
for (let page = 1; ; page++) {
  const issues = await tools.github['issues_list-for-repo']({ owner: 'acme', repo: 'shop', state: 'all', per_page: 20, page })
  for (const { user } of issues) counts[user.login] = (counts[user.login] ?? 0) + 1
  if (issues.length < 20) break
}
return counts`,
    expected: ({ github }) => tally(github.all(ISSUES), (issue) => text(issue, 'user', 'login')),
  },
  {
    name: 'issues with more than 30 comments',
    kind: 'paging',
    find: 'list repository issues',
    needs: ['github.issues_list-for-repo'],
    fields: { 'github.issues_list-for-repo': ['number', 'comments'] },
    code: `const found = []
for (let page = 1; ; page++) {
  const issues = await tools.github['issues_list-for-repo']({ owner: 'acme', repo: 'shop', state: 'all', per_page: 10, page })
  found.push(...issues.filter((issue) => issue.comments > 30).map((issue) => issue.number))
  if (issues.length < 10) break
}
return found`,
    expected: ({ github }) =>
      github
        .all(ISSUES)
        .filter((issue) => amount(issue, 'comments') > 30)
        .map((issue) => issue['number']),
  },
  {
    name: 'who commented on the five most discussed issues',
    kind: 'lookup',
    find: 'list repository issues; list comments of an issue',
    needs: ['github.issues_list-for-repo', 'github.issues_list-comments'],
    fields: {
      'github.issues_list-for-repo': ['number', 'comments'],
      'github.issues_list-comments': ['user.login'],
    },
    code: `const repo = { owner: 'acme', repo: 'shop' }
const issues = await tools.github['issues_list-for-repo']({ ...repo, state: 'all', per_page: 60 })
const most = issues.sort((a, b) => b.comments - a.comments || a.number - b.number).slice(0, 5)
const comments = await parallel(most.map(({ number }) => () => tools.github['issues_list-comments']({ ...repo, issue_number: number })))
return [...new Set(comments.flat().map(({ user }) => user.login))].sort()`,
    expected: ({ github }) => {
      const most = github
        .all(ISSUES)
        .toSorted(
          (a, b) =>
            amount(b, 'comments') - amount(a, 'comments') ||
            amount(a, 'number') - amount(b, 'number'),
        )
        .slice(0, 5)
      const authors = most.flatMap((issue) =>
        github
          .all(`${ISSUES}/${text(issue, 'number')}/comments`)
          .map((comment) => text(comment, 'user', 'login')),
      )
      return [...new Set(authors)].toSorted()
    },
  },
  {
    name: 'close the open issues of one person',
    kind: 'filter and write',
    find: 'list repository issues; update an issue',
    needs: ['github.issues_list-for-repo', 'github.issues_update'],
    fields: { 'github.issues_list-for-repo': ['number', 'user.login'] },
    code: `const closed = []
for (let page = 1; ; page++) {
  const issues = await tools.github['issues_list-for-repo']({ owner: 'acme', repo: 'shop', state: 'open', per_page: 20, page })
  for (const { number, user } of issues) {
    if (user.login !== 'cleo') continue
    await tools.github.issues_update({ owner: 'acme', repo: 'shop', issue_number: number, body: { state: 'closed' } })
    closed.push(number)
  }
  if (issues.length < 20) break
}
return closed`,
    expected: ({ github }) =>
      github
        .all(ISSUES)
        .filter((issue) => issue['state'] === 'open' && text(issue, 'user', 'login') === 'cleo')
        .map((issue) => issue['number']),
    writes: ({ github }) =>
      github
        .all(ISSUES)
        .filter((issue) => issue['state'] === 'open' && text(issue, 'user', 'login') === 'cleo')
        .length,
  },
  {
    name: 'comment on the three oldest open issues',
    kind: 'filter and write',
    find: 'list repository issues; create an issue comment',
    needs: ['github.issues_list-for-repo', 'github.issues_create-comment'],
    fields: { 'github.issues_list-for-repo': ['number', 'created_at'] },
    code: `const repo = { owner: 'acme', repo: 'shop' }
const issues = await tools.github['issues_list-for-repo']({ ...repo, state: 'open', per_page: 60 })
const oldest = issues.sort((a, b) => a.created_at.localeCompare(b.created_at) || a.number - b.number).slice(0, 3)
for (const { number } of oldest) await tools.github['issues_create-comment']({ ...repo, issue_number: number, body: { body: 'Is this still open?' } })
return oldest.map(({ number }) => number)`,
    expected: ({ github }) =>
      github
        .all(ISSUES)
        .filter((issue) => issue['state'] === 'open')
        .toSorted(
          (a, b) =>
            text(a, 'created_at').localeCompare(text(b, 'created_at')) ||
            amount(a, 'number') - amount(b, 'number'),
        )
        .slice(0, 3)
        .map((issue) => issue['number']),
    writes: () => 3,
  },
  {
    name: 'reviews of all pull requests, by state',
    kind: 'aggregation',
    find: 'list pull requests; list reviews of a pull request',
    needs: ['github.pulls_list', 'github.pulls_list-reviews'],
    fields: { 'github.pulls_list': ['number'], 'github.pulls_list-reviews': ['state'] },
    code: `const repo = { owner: 'acme', repo: 'shop' }
const pulls = await tools.github.pulls_list({ ...repo, state: 'all', per_page: 30 })
const reviews = (await parallel(pulls.map(({ number }) => () => tools.github['pulls_list-reviews']({ ...repo, pull_number: number })))).flat()
const counts = {}
for (const { state } of reviews) counts[state] = (counts[state] ?? 0) + 1
return counts`,
    expected: ({ github }) =>
      tally(
        github.all(PULLS).flatMap((pull) => github.all(`${PULLS}/${text(pull, 'number')}/reviews`)),
        (review) => text(review, 'state'),
      ),
  },
  {
    name: 'how often each person reviewed',
    kind: 'aggregation',
    find: 'list pull requests; list reviews of a pull request',
    needs: ['github.pulls_list', 'github.pulls_list-reviews'],
    fields: { 'github.pulls_list': ['number'], 'github.pulls_list-reviews': ['user.login'] },
    code: `const repo = { owner: 'acme', repo: 'shop' }
const pulls = await tools.github.pulls_list({ ...repo, state: 'open', per_page: 30 })
const counts = {}
for (const { number } of pulls) {
  const reviews = await tools.github['pulls_list-reviews']({ ...repo, pull_number: number })
  for (const { user } of reviews) counts[user.login] = (counts[user.login] ?? 0) + 1
}
return counts`,
    expected: ({ github }) =>
      tally(
        github
          .all(PULLS)
          .filter((pull) => pull['state'] === 'open')
          .flatMap((pull) => github.all(`${PULLS}/${text(pull, 'number')}/reviews`)),
        (review) => text(review, 'user', 'login'),
      ),
  },
  {
    name: 'an issue for every closed milestone',
    kind: 'filter and write',
    find: 'list milestones; create an issue',
    needs: ['github.issues_list-milestones', 'github.issues_create'],
    fields: { 'github.issues_list-milestones': ['title'] },
    code: `const repo = { owner: 'acme', repo: 'shop' }
const milestones = await tools.github['issues_list-milestones']({ ...repo, state: 'closed' })
for (const { title } of milestones) await tools.github.issues_create({ ...repo, body: { title: 'Review ' + title } })
return milestones.map(({ title }) => title)`,
    expected: ({ github }) =>
      github
        .all('/repos/acme/shop/milestones')
        .filter((milestone) => milestone['state'] === 'closed')
        .map((milestone) => milestone['title']),
    writes: ({ github }) =>
      github
        .all('/repos/acme/shop/milestones')
        .filter((milestone) => milestone['state'] === 'closed').length,
  },
  {
    name: 'open issues of four repositories',
    kind: 'aggregation',
    find: 'list repository issues',
    needs: ['github.issues_list-for-repo'],
    fields: { 'github.issues_list-for-repo': ['number'] },
    code: `const counts = {}
for (const repo of ['shop', 'site', 'app', 'docs']) {
  const issues = await tools.github['issues_list-for-repo']({ owner: 'acme', repo, state: 'open', per_page: 100 })
  counts[repo] = issues.length
}
return counts`,
    expected: ({ github }) =>
      Object.fromEntries(
        ['shop', 'site', 'app', 'docs'].map((repo) => [
          repo,
          github.all(`/repos/acme/${repo}/issues`).filter((issue) => issue['state'] === 'open')
            .length,
        ]),
      ),
  },
  {
    name: 'the last issue that changed, and its comments',
    kind: 'small',
    find: 'list repository issues; list comments of an issue',
    needs: ['github.issues_list-for-repo', 'github.issues_list-comments'],
    fields: {
      'github.issues_list-for-repo': ['number', 'updated_at'],
      'github.issues_list-comments': ['user.login'],
    },
    code: `const repo = { owner: 'acme', repo: 'shop' }
const issues = await tools.github['issues_list-for-repo']({ ...repo, state: 'all', per_page: 60 })
const [last] = issues.sort((a, b) => b.updated_at.localeCompare(a.updated_at) || a.number - b.number)
const comments = await tools.github['issues_list-comments']({ ...repo, issue_number: last.number })
return { number: last.number, authors: comments.map(({ user }) => user.login) }`,
    expected: ({ github }) => {
      const [last] = github
        .all(ISSUES)
        .toSorted(
          (a, b) =>
            text(b, 'updated_at').localeCompare(text(a, 'updated_at')) ||
            amount(a, 'number') - amount(b, 'number'),
        )
      const number = last?.['number']
      return {
        number,
        authors: github
          .all(`${ISSUES}/${String(number)}/comments`)
          .map((comment) => text(comment, 'user', 'login')),
      }
    },
  },
  {
    name: 'the state of one issue',
    kind: 'small',
    find: 'get an issue',
    needs: ['github.issues_get'],
    code: `return (await tools.github.issues_get({ owner: 'acme', repo: 'shop', issue_number: 7 })).state`,
    expected: ({ github }) => github.all(ISSUES)[6]?.['state'],
  },
  {
    name: 'comment on one issue',
    kind: 'small',
    find: 'create an issue comment',
    needs: ['github.issues_create-comment'],
    code: `await tools.github['issues_create-comment']({ owner: 'acme', repo: 'shop', issue_number: 7, body: { body: 'Thank you.' } })
return 'done'`,
    expected: () => 'done',
    writes: () => 1,
  },
]
