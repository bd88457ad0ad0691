import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { PeopleSearch } from './people.ts'

export const exportPeopleCsv = endpoint({
  method: 'GET',
  path: '/admin/exports/people.csv',
  summary:
    'Downloads the people that a search finds as CSV. An apostrophe stands before everything that a spreadsheet would calculate.',
  query: PeopleSearch,
  media: 'text/csv',
  response: z.string(),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
  errors: ['api.error.invalid.q', 'api.error.invalid.filter', 'api.error.notfound.domain'],
})

export const exportPeopleLines = endpoint({
  method: 'GET',
  path: '/admin/exports/people.jsonl',
  summary: 'Downloads the people that a search finds as JSON lines.',
  query: PeopleSearch,
  media: 'application/jsonl',
  response: z.string(),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
  errors: ['api.error.invalid.q', 'api.error.invalid.filter', 'api.error.notfound.domain'],
})
