import { writeFile } from 'node:fs/promises'

import type { Command } from 'commander'

import { domainImage, removeDomainImage, setDomainImage } from '../../service/admin/domain-images.ts'
import { imageLimits } from '../../service/rules/image.ts'
import { adminCommand, groupCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { findDomain } from '../admin/find.ts'
import { withService } from '../admin/local-service.ts'
import { printDone, quote } from '../admin/print.ts'
import { readInput } from '../admin/read-input.ts'
import { ending, Failure } from '../device/failure.ts'

/** What people see beside the name of a domain. */
export function domainImageCommand(): Command {
  return groupCommand(
    'image',
    'the image that people see beside the name',
    [setCommand(), getCommand(), removeCommand()],
    [
      "domain image set 'Intranet' logo.png --database mfa.sqlite",
      "domain image remove 'Intranet' --database mfa.sqlite",
    ],
  )
}

function setCommand(): Command {
  return adminCommand('set', 'take an image: PNG, at most 256 KiB and 1024 x 1024 pixels', [
    "domain image set 'Intranet' logo.png --database mfa.sqlite",
    "domain image set 'Intranet' logo.png --database mfa.sqlite --json",
  ])
    .argument('<domain>', 'its name or id')
    .argument('<file>', 'path of the PNG')
    .action(
      ending((given: string, file: string, settings: AdminSettings) =>
        withService(settings, async (service) => {
          const png = await readInput(file, imageLimits.bytes)
          const domain = await findDomain(service, given)
          await setDomainImage(service.ctx, service.organization.id, domain.id, png)
          printDone(settings, { domain: domain.id, bytes: png.length }, `${quote(domain.name)} has the image now.`)
        }),
      ),
    )
}

function getCommand(): Command {
  return adminCommand('get', 'write the image to a file that is not there yet', [
    "domain image get 'Intranet' present.png --database mfa.sqlite",
    "domain image get 'Intranet' present.png --database mfa.sqlite --json",
  ])
    .argument('<domain>', 'its name or id')
    .argument('<file>', 'where to write it')
    .action(
      ending((given: string, file: string, settings: AdminSettings) =>
        withService(settings, async (service) => {
          const domain = await findDomain(service, given)
          const bytes = await domainImage(service.ctx, service.organization.id, domain.id)
          await writeNew(file, bytes)
          printDone(settings, { domain: domain.id, bytes: bytes.length }, `The image is in ${file} now.`)
        }),
      ),
    )
}

function removeCommand(): Command {
  return adminCommand('remove', 'show the neutral image again', [
    "domain image remove 'Intranet' --database mfa.sqlite",
    "domain image remove 'Intranet' --database mfa.sqlite --json",
  ])
    .argument('<domain>', 'its name or id')
    .action(
      ending((given: string, settings: AdminSettings) =>
        withService(settings, async (service) => {
          const domain = await findDomain(service, given)
          const removed = await removeDomainImage(service.ctx, service.organization.id, domain.id)
          const text = removed ? 'has the neutral image again.' : 'had the neutral image already.'
          printDone(settings, { domain: domain.id, removed }, `${quote(domain.name)} ${text}`)
        }),
      ),
    )
}

async function writeNew(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: 'wx' })
  } catch (cause) {
    const taken = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST'
    const reason = taken ? 'there is something already' : 'it may not be written there'
    throw new Failure(`The image was not written to ${file}: ${reason}. Choose another path.`, undefined, { cause })
  }
}
