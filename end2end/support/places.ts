import { type Account, firstStudy, visitor } from './steps.ts';
import { demo } from './server.ts';

/** A page and its visitor. */
export interface Place {
  /** A short name; also a screenshot's name. */
  name: string;
  /** Its address. */
  path: string;
  /** The account; absent if not logged in. */
  account?: Account;
}

/** Routes without a place, and where they are opened instead: the demo has nothing to show on them. */
export const elsewhere: Record<string, string> = {
  '/new-password': 'first_log_in.spec.ts: no account of the demo has to choose a password',
  '/grade/:study/:item': 'the address of the place "grading" once an output is open',
  '/side-by-side/:study': 'side_by_side.spec.ts',
  '/adjudicate/:token': 'conversation.spec.ts and quality.spec.ts: the demo has no disagreement',
  '/public/:secret': 'api.spec.ts: the study of the demo is not closed',
  '/public/:secret/tasks/:task': 'api.spec.ts, as above',
  '/account/email': 'account.spec.ts: the server of the demo sends no email',
  '/admin/uploads/:id': 'data.spec.ts: the demo has no upload to import',
  '/admin/uploads/:id/ratings': 'import_ratings.spec.ts: the demo has no upload to import',
};

/** Every page of the demo, including those with ids in their address. */
export async function places(url: string): Promise<Place[]> {
  const admin = await visitor(url, demo.admin);
  const rater = await visitor(url, demo.ada);
  const first = async (page: string, address: RegExp): Promise<string> => {
    const text = await (await admin.get(page)).text();
    const found = address.exec(text);
    if (!found) {
      throw new Error(`${page} links to nothing like ${address}`);
    }
    return found[1];
  };
  const study = await firstStudy(rater);
  const mine = study.replace(/^\/grade\//, '/studies/').concat('/mine');
  const submission = await first('/admin/submissions', /href="(\/admin\/submissions\/\d+)"/);
  const compared = await first('/admin/studies', /href="(\/admin\/studies\/\d+)[#"]/);
  // The demo has no guidelines. Once they are there, saving version 1 again is refused, which changes nothing.
  const text = { object: 'study 1', en: '# How to rate\n\nTake your time.', zh: '', expected: '0' };
  await admin.post('/rpc/save_guidelines', { form: text });
  // Nothing listens at the endpoint; a draft sends nothing.
  const fields = { dataset: 'starter', model: 'Collected model', endpoint: 'nobody', samples: '2', response_tokens: '500' };
  const draft = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`collection[${name}]`, value]));
  const listed = async () => /href="(\/admin\/collections\/\d+)"/.exec(await (await admin.get('/admin/collections')).text());
  if (!(await listed())) {
    await admin.post('/rpc/create_collection', { form: draft });
  }
  const collection = (await listed())?.[1] ?? '/admin/collections/0';
  const group = async () => /href="(\/admin\/groups\/\d+)"/.exec(await (await admin.get('/admin/groups')).text());
  if (!(await group())) {
    await admin.post('/rpc/create_group', { form: { name: 'Reviewers' } });
  }
  const tested = async () => /href="(\/admin\/runs\/\d+)"/.exec(await (await admin.get('/admin/runs')).text());
  if (!(await tested())) {
    await admin.post('/rpc/start_run', { form: { submission: '1' } });
  }
  const run = (await tested())?.[1] ?? '/admin/runs/0';
  const all: Place[] = [
    { name: 'log-in', path: '/log-in' },
    { name: 'log-in-refused', path: '/log-in?error=wrong&name=ada' },
    { name: 'invitation-gone', path: '/join/no-such-invitation-at-all' },
    { name: 'reset-gone', path: '/reset/no-such-link-at-all' },
    { name: 'mail-link-gone', path: '/mail/no-such-link-at-all' },
    { name: 'my-studies', path: '/my-studies', account: demo.ada },
    { name: 'grading', path: study, account: demo.ada },
    { name: 'own-ratings', path: mine, account: demo.ada },
    { name: 'rubric', path: study.replace(/^\/grade\//, '/rubric/'), account: demo.ada },
    { name: 'guidelines', path: study.replace(/^\/grade\//, '/guidelines/'), account: demo.ada },
    { name: 'tour', path: '/tour', account: demo.ada },
    { name: 'account', path: '/account', account: demo.ada },
    { name: 'no-such-page', path: '/no/such/page', account: demo.ada },
    { name: 'overview', path: '/admin', account: demo.admin },
    { name: 'inbox', path: '/admin/inbox', account: demo.admin },
    { name: 'datasets', path: '/admin/datasets', account: demo.admin },
    { name: 'dataset', path: await first('/admin/datasets', /href="(\/admin\/datasets\/[^"#?]+)"/), account: demo.admin },
    { name: 'submissions', path: '/admin/submissions', account: demo.admin },
    { name: 'submission', path: submission, account: demo.admin },
    { name: 'output', path: await first(submission, /href="(\/admin\/outputs\/\d+)"/), account: demo.admin },
    { name: 'upload', path: '/admin/upload', account: demo.admin },
    { name: 'upload-ratings', path: '/admin/upload/ratings', account: demo.admin },
    { name: 'studies', path: '/admin/studies', account: demo.admin },
    { name: 'study', path: compared, account: demo.admin },
    { name: 'study-task', path: await first(compared, /href="(\/admin\/studies\/\d+\/tasks\/\d+)"/), account: demo.admin },
    { name: 'study-plan', path: `${compared}/plan`, account: demo.admin },
    { name: 'study-edit', path: `${compared}/edit`, account: demo.admin },
    { name: 'study-quality', path: `${compared}/quality`, account: demo.admin },
    { name: 'study-ratings', path: `${compared}/ratings`, account: demo.admin },
    { name: 'study-flags', path: `${compared}/flags`, account: demo.admin },
    { name: 'study-disagreements', path: `${compared}/disagreements`, account: demo.admin },
    { name: 'adjudicate', path: '/adjudicate', account: demo.ada },
    { name: 'new-study', path: '/admin/studies/new?dataset=starter', account: demo.admin },
    { name: 'results', path: '/admin/results', account: demo.admin },
    { name: 'results-model', path: '/admin/results/models/1?baseline=2', account: demo.admin },
    { name: 'results-dataset', path: '/admin/results/datasets/starter', account: demo.admin },
    { name: 'compare', path: '/admin/compare/starter', account: demo.admin },
    { name: 'compare-paper', path: '/admin/compare/starter?layout=paper', account: demo.admin },
    { name: 'compare-task', path: await first('/admin/compare/starter', /href="(\/admin\/compare\/starter\/tasks\/\d+[^"]*)"/), account: demo.admin },
    { name: 'collections', path: '/admin/collections', account: demo.admin },
    { name: 'collection-new', path: '/admin/collections/new', account: demo.admin },
    { name: 'judging-new', path: '/admin/judgings/new?study=1', account: demo.admin },
    { name: 'collection', path: collection, account: demo.admin },
    { name: 'runs', path: '/admin/runs', account: demo.admin },
    { name: 'run', path: run, account: demo.admin },
    { name: 'run-output', path: await first(run, /href="(\/admin\/runs\/\d+\/outputs\/\d+)"/), account: demo.admin },
    { name: 'runs-compare', path: '/admin/runs/compare', account: demo.admin },
    { name: 'languages', path: '/admin/languages', account: demo.admin },
    { name: 'conversations', path: '/admin/conversations', account: demo.admin },
    { name: 'guidelines-edit', path: '/admin/guidelines/study/1', account: demo.admin },
    { name: 'rubrics', path: '/admin/rubrics', account: demo.admin },
    { name: 'rubric-admin', path: '/admin/rubrics/aixbench', account: demo.admin },
    { name: 'rubric-edit', path: '/admin/rubrics/aixbench/edit', account: demo.admin },
    { name: 'rubric-new', path: '/admin/rubrics/new', account: demo.admin },
    { name: 'people', path: '/admin/people', account: demo.admin },
    { name: 'announcements', path: '/admin/announcements', account: demo.admin },
    { name: 'groups', path: '/admin/groups', account: demo.admin },
    { name: 'group', path: (await group())?.[1] ?? '/admin/groups/0', account: demo.admin },
    { name: 'audit', path: '/admin/audit', account: demo.admin },
    { name: 'upkeep', path: submission.replace('/admin/', '/admin/upkeep/').replace('submissions', 'submission'), account: demo.admin },
    { name: 'archive', path: '/admin/archive', account: demo.admin },
    { name: 'models', path: '/admin/models', account: demo.admin },
    { name: 'settings', path: '/admin/settings', account: demo.admin },
    { name: 'server', path: '/admin/server?unused=1', account: demo.admin },
    { name: 'find', path: '/admin/find?q=starter', account: demo.admin },
    { name: 'api', path: '/admin/api', account: demo.admin },
    { name: 'tokens', path: '/admin/api/tokens', account: demo.admin },
    { name: 'webhooks', path: '/admin/api/webhooks', account: demo.admin },
  ];
  await admin.dispose();
  await rater.dispose();
  return all;
}
