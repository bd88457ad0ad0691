import { Command } from 'commander'

import { Vendor } from '../../contract/media-type.ts'
import { createOpenApi } from '../../service/openapi/document.ts'
import { ending, Failure } from '../device/failure.ts'

interface Settings {
  readonly address: string
  readonly scheme: string
  readonly mediaType: string
}

/** What the service also serves, for those who generate their client from it. */
export function openapiCommand(): Command {
  return new Command('openapi')
    .description('print the REST interface as an OpenAPI 3.1 document')
    .option('--address <url>', 'where the interface is, with its base path', '/api')
    .option('--scheme <word>', 'scheme word of the Authorization header', 'Service')
    .option('--media-type <word>', 'x stands for application/vnd.x.v1+json', 'service')
    .addHelpText('after', examples)
    .action(ending(async (settings: Settings) => openapi(settings)))
}

function openapi({ address, scheme, mediaType }: Settings): void {
  const vendor = Vendor.safeParse({ scheme, mediaType })
  const [issue] = vendor.error?.issues ?? []
  if (!vendor.success) throw new Failure(`--scheme and --media-type: ${issue?.message ?? 'one word each'}.`, 2)
  console.log(JSON.stringify(createOpenApi({ vendor: vendor.data, address }), undefined, 2))
}

const examples = `
Examples:
  $ second-factor openapi > openapi.json
  $ second-factor openapi --address https://mfa.example/api --scheme Acme --media-type acme`
