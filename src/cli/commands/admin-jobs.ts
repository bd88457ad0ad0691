import type { Command } from 'commander'

import { cancelBulkJob, listBulkJobs } from '../../admin-contract/bulk-jobs.ts'
import { cancel } from '../../service/features/bulk-jobs/jobs.ts'
import { view } from '../../service/features/bulk-jobs/view.ts'
import { undecided } from '../../service/engine/context/within.ts'
import { bulkJobsOf } from '../../service/features/bulk-jobs/statements.ts'
import { adminCommand } from '../admin/command.ts'
import type { AdminSettings } from '../admin/command.ts'
import { pick } from '../admin/find.ts'
import { serviceAction } from '../admin/local-service.ts'
import { dateOf, printDone, printJson, printTable, shortId } from '../terminal/print.ts'

interface Settings extends AdminSettings {
  readonly cancel?: string
}

/** `second-factor admin jobs`. It stops a job when no administrator can, or may be trusted to. */
export function jobsCommand(): Command {
  return adminCommand('jobs', 'list the actions on many people that were started in the console, or cancel one', [
    'admin jobs',
    'admin jobs --cancel 3f2a91c0 --json',
  ])
    .option('--cancel <job>', 'id of a job to cancel; what it has done already stays')
    .action(
      serviceAction(async (service, settings: Settings) => {
        const jobs = await service.call(listBulkJobs, {}, async (_input, call) =>
          Promise.all((await bulkJobsOf(call.store.db, call.organizationId)).map((row) => view(call, row))),
        )
        if (settings.cancel !== undefined) {
          const { id } = pick(jobs, settings.cancel, {
            noun: 'job',
            names: (job) => [job.id],
            show: (job) => shortId(job.id),
          })
          const canceled = await service.call(cancelBulkJob, { params: { bulkJobId: id } }, (input, call) =>
            cancel(input, call, undecided(call)),
          )
          return printDone(settings, canceled, `The job ${shortId(id)} is ${canceled.state}.`)
        }
        if (settings.json) return printJson(jobs)
        const rows = jobs.map((job) => [
          job.action,
          job.state,
          `${job.done} of ${job.people}`,
          job.requestedBy.name,
          dateOf(job.startedAt ?? job.createdAt),
          shortId(job.id),
        ])
        printTable(['Action', 'State', 'Done', 'By', 'Started', 'Id'], rows, 'No jobs in the last 30 days.')
      }),
    )
}
