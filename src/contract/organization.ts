import { z } from 'zod'

import { endpoint } from './endpoint.ts'

export const Organization = z.object({ name: z.string() })
export type Organization = z.infer<typeof Organization>

export const getOrganization = endpoint({
  method: 'GET',
  path: '/organization',
  summary: 'Reads the organization of the API key.',
  response: Organization,
  role: 'auth',
})

export const ping = endpoint({
  method: 'GET',
  path: '/ping',
  summary: 'Returns 200 while the service is up and the API key is valid.',
  response: z.object({ status: z.literal('OK') }),
  role: 'auth',
})
