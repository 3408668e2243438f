import { describe, expect, it } from 'vitest'
import { type Texts, graphOf } from '../../../../../test/support/code-graph.ts'

/** `kind module → target`, for all the files of a project. */
function edges(texts: Texts): string[] {
  return graphOf(texts).edges.map(
    ({ kind, module, target }) => `${kind} ${module}${target === null ? '' : ` → ${target}`}`,
  )
}

const CASES: readonly (readonly [what: string, texts: Texts, expected: readonly string[]])[] = [
  [
    'GitHub workflows',
    {
      '.github/workflows/ci.yml': `on:
  push:
    branches: [main]
  pull_request:
jobs:
  build:
    container: node:20
    services:
      db:
        image: postgres:16
    steps:
      - uses: actions/checkout@v4
      - uses: ./.github/actions/setup
      - uses: docker://alpine:3
  test:
    needs: [build, lint]
  ship:
    needs:
      - test
`,
      '.github/actions/setup/action.yml': '',
    },
    [
      'trigger push',
      'trigger pull_request',
      'image node:20',
      'service postgres:16',
      'module_source actions/checkout@v4',
      'module_source ./.github/actions/setup → .github/actions/setup/action.yml',
      'image alpine:3',
      'needs build',
      'needs lint',
      'needs test',
    ],
  ],
  [
    'GitLab pipelines',
    {
      '.gitlab-ci.yml': `stages: [a]
include:
  - local: ci/base.yml
  - project: group/tools
  - remote: https://x.y/z.yml
  - template: Jobs/Build.gitlab-ci.yml
  - ci/more.yml
image: ruby:3
job:
  extends: .base
  services:
    - redis:7
  needs: [other]
down:
  trigger:
    project: group/app
up:
  trigger: group/lib
`,
      'ci/base.yml': '',
      'ci/more.yml': '',
    },
    [
      'include_local ci/base.yml → ci/base.yml',
      'include_project group/tools',
      'include_remote https://x.y/z.yml',
      'include_template Jobs/Build.gitlab-ci.yml',
      'include ci/more.yml → ci/more.yml',
      'image ruby:3',
      'extends .base',
      'service redis:7',
      'needs other',
      'project group/app',
      'trigger group/lib',
    ],
  ],
  [
    'compose files',
    {
      'compose.yaml': `include:
  - other.yaml
services:
  web:
    build: ./web
    env_file: .env.web.yaml
    depends_on:
      db:
        condition: service_healthy
  db:
    image: postgres
    depends_on: [cache]
`,
      'other.yaml': '',
      'web/Dockerfile': 'FROM node:20\n',
      '.env.web.yaml': '',
    },
    [
      'include other.yaml → other.yaml',
      'include ./web → web/Dockerfile',
      'variable_file .env.web.yaml → .env.web.yaml',
      'depends_on db',
      'image postgres',
      'depends_on cache',
      'image node:20',
    ],
  ],
  [
    'Terraform',
    {
      'main.tf': `terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}
provider "aws" {}
module "a" {
  source = "./mod"
}
data "terraform_remote_state" "net" {}
locals {
  x = templatefile("\${path.module}/t.tpl", {})
}
`,
      'mod/x.tf': 'variable "y" {}\n',
      'variables.tf': 'variable "z" {}\n',
      't.tpl': '',
      'prod.tfvars': 'z = 1\n',
    },
    [
      'provider hashicorp/aws',
      'provider aws',
      'module_source ./mod → mod/x.tf',
      'remote_state net',
      'template t.tpl → t.tpl',
      'variable_file variables.tf → variables.tf',
    ],
  ],
  [
    'Argo CD',
    {
      'app.yaml': `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
spec:
  generators:
    - git:
        repoURL: https://x/gen.git
  template:
    spec:
      project: default
      source:
        repoURL: https://x/app.git
        path: deploy
        chart: nginx
      destination:
        server: https://k
`,
      'deploy/a.yaml': '',
    },
    [
      'generator_repo https://x/gen.git',
      'project default',
      'source_repo https://x/app.git',
      'source_path deploy → deploy/a.yaml',
      'source_chart nginx',
      'destination https://k',
    ],
  ],
  [
    'Helm charts',
    {
      'c/Chart.yaml':
        'apiVersion: v2\nname: c\ndependencies:\n  - name: sub\n    repository: file://../lib\n  - name: pg\n    repository: https://r\n',
      'c/values.yaml': '',
      'c/templates/a.yaml': 'x: {{ include "c.name" . }}\nimage: nginx\n',
      'c/templates/_h.tpl': '{{ define "c.name" }}{{ .Values.x }}{{ end }}',
      'c/charts/sub/Chart.yaml': 'apiVersion: v2\nname: sub\n',
      'lib/Chart.yaml': '',
    },
    [
      'subchart sub → c/charts/sub/Chart.yaml',
      'source_repo file://../lib → lib/Chart.yaml',
      'subchart pg',
      'source_repo https://r',
      'chart_member templates → c/templates/a.yaml',
      'chart_member templates → c/templates/_h.tpl',
      'chart_member values.yaml → c/values.yaml',
      'template c.name → c/templates/_h.tpl',
      'image nginx',
      'subchart_of ../../Chart.yaml → c/Chart.yaml',
    ],
  ],
  [
    'documents',
    {
      'a.md':
        '---\nsource: src/front.ts\n---\n[b](src/link.ts), [gone](no.ts), [web](https://x.y), `src/inline.ts`, `no/such.ts`\n\n```ts\n// src/block.ts\nimport x from "some/other.js"\n```\n',
      'src/front.ts': '',
      'src/link.ts': '',
      'src/inline.ts': '',
      'src/block.ts': '',
    },
    [
      'doc_frontmatter src/front.ts → src/front.ts',
      'doc_link src/link.ts → src/link.ts',
      'doc_link no.ts',
      'doc_inline_code src/inline.ts → src/inline.ts',
      'doc_code_block src/block.ts → src/block.ts',
    ],
  ],
]

describe('what configuration and documents refer to', () => {
  it.each(CASES)('%s', (_, texts, expected) => {
    expect(edges(texts)).toEqual(expected)
  })
})
