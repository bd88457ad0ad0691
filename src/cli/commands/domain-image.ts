import { writeFile } from 'node:fs/promises'

import type { Command } from 'commander'

import { domainImage, removeDomainImage, setDomainImage } from '../../service/features/domains/images.ts'
import { imageLimits } from '../../service/features/domains/image.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import { Failure } from '../terminal/failure.ts'
import { printDone, quote } from '../terminal/print.ts'
import { readWholeFile } from '../terminal/read-file.ts'

/** `second-factor domain image`. */
export function domainImageCommand(): Command {
  return groupCommand(
    'image',
    'manage the image that people see beside the domain name',
    [setCommand(), getCommand(), removeCommand()],
    [
      "domain image set 'Intranet' logo.png --database mfa.sqlite",
      "domain image remove 'Intranet' --database mfa.sqlite",
    ],
  )
}

function setCommand(): Command {
  return adminCommand(
    'set',
    'set the image: PNG, at most 256 KiB and 1024 x 1024 pixels',
    "domain image set 'Intranet' logo.png",
  )
    .argument('<domain>', 'name or id')
    .argument('<file>', 'path of the PNG file')
    .action(
      serviceAction(async (service, nameOrId: string, file: string, settings: AdminSettings) => {
        const png = await readWholeFile(file, imageLimits.bytes)
        const domain = await findDomain(service, nameOrId)
        await setDomainImage(service.ctx, service.organization.id, domain.id, png)
        printDone(settings, { domain: domain.id, bytes: png.length }, `Set the image of ${quote(domain.name)}.`)
      }),
    )
}

function getCommand(): Command {
  return adminCommand('get', 'write the image to a new file', "domain image get 'Intranet' current.png")
    .argument('<domain>', 'name or id')
    .argument('<file>', 'path of the new file')
    .action(
      serviceAction(async (service, nameOrId: string, file: string, settings: AdminSettings) => {
        const domain = await findDomain(service, nameOrId)
        const bytes = await domainImage(service.ctx, service.organization.id, domain.id)
        await writeNew(file, bytes)
        printDone(settings, { domain: domain.id, bytes: bytes.length }, `Wrote the image to ${file}.`)
      }),
    )
}

function removeCommand(): Command {
  return adminCommand('remove', 'go back to the default image', "domain image remove 'Intranet'")
    .argument('<domain>', 'name or id')
    .action(
      serviceAction(async (service, nameOrId: string, settings: AdminSettings) => {
        const domain = await findDomain(service, nameOrId)
        const removed = await removeDomainImage(service.ctx, service.organization.id, domain.id)
        const text = removed ? 'now has the default image.' : 'already had the default image.'
        printDone(settings, { domain: domain.id, removed }, `${quote(domain.name)} ${text}`)
      }),
    )
}

async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: 'wx' })
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    const reason = exists ? 'the file already exists' : 'permission denied'
    throw new Failure(`Can't write ${file}: ${reason}. Choose another path.`, undefined, { cause })
  }
}
