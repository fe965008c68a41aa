"""Types and operations of the REST API. generate.py writes this file from the OpenAPI document; do not edit it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict

from ._transport import Content, Transport, part

if TYPE_CHECKING:
    # Checkers of types know this module; at run time, the annotations are texts.
    from typing_extensions import NotRequired


class AdjudicationResult(TypedDict):
    """The next disagreement after an adjudication."""
    next: NotRequired[Token | None]


class Admission(TypedDict):
    """Whether a rater may rate."""
    admitted: bool
    """`true` allows the rater to rate regardless of the result; `false` restarts the calibration."""


class Agreement(TypedDict):
    """Agreement between raters on one dimension."""
    alpha: NotRequired[float | None]
    """Krippendorff's ordinal alpha; `None` if undefined, that is without an output rated twice or without any
    variation.
    """
    exact: NotRequired[float | None]
    """Share of equal pairs of ratings of one output, 0 to 1; `None` without pairs."""
    pairs: int
    """Number of pairs."""
    within_one: NotRequired[float | None]
    """Share of pairs that differ by at most one level."""


class Announcement(TypedDict):
    """An announcement as admins see it."""
    created_at: Timestamp
    created_by: NotRequired[str | None]
    """The admin who wrote it; absent for the command line."""
    id: AnnouncementId
    is_shown: bool
    """Whether people see it who have not read it."""
    last_day: NotRequired[str | None]
    name: str
    """The study's title, the group's name or the username; empty for everyone."""
    people: int
    """Number of active accounts in its audience."""
    read: int
    """How many of them have read it."""
    text: Bilingual
    to: str
    withdrawn_at: NotRequired[Timestamp | None]

AnnouncementId: TypeAlias = "int"
"""Something that admins tell people."""


class AnonymousRating(TypedDict):
    """A rating of the output, without its rater."""
    comment: str
    flag: NotRequired[RaterFlag | None]
    notes: list[LineNote]
    """Line notes, at their places in the original code."""
    scores: list[int]
    """One score per dimension."""

ApiTokenId: TypeAlias = "int"
"""An access token for the REST API."""


class Archived(TypedDict):
    """An archived object."""
    at: Timestamp
    """When it was archived."""
    name: str
    """Its name."""
    object: str
    """The object in words, such as `study 3`."""


class AsPublished(TypedDict):
    """Figures of a run by the verdicts as published."""
    differ: int
    """Outputs that pass as published and not guarded."""
    pass_at_1: float
    """`pass@1` over all tasks."""
    solved: int
    """Tasks whose first sample passes."""


class AuthorComparison(TypedDict):
    """Verdicts of a run beside those that the authors published with the outputs."""
    compared: int
    """Answers with both verdicts."""
    defective: NotRequired[int]
    """Of the compared answers, those that guarded figures leave out because of a defect of the data."""
    defective_equal: NotRequired[int]
    """Of these, those with equal verdicts."""
    differences: list[AuthorDifference]
    """The answers with different verdicts, at most 100."""
    equal: int
    """Of these, those with equal verdicts."""


class AuthorDifference(TypedDict):
    """An answer whose verdict differs from the one that the authors published."""
    authors_passed: bool
    """The authors' verdict."""
    kind: InstructionKind
    output: OutputId
    reason: DifferenceReason
    task_id: str
    """The task's `task_id`."""


class Automated(TypedDict):
    """Comparison by automated tests."""
    models: list[Checked | None]
    """One entry per model; `None` without a run."""
    pairs: list[Pair]
    """Every pair of models that have runs."""


class Bilingual(TypedDict):
    """A text in both languages."""
    en: str
    """The English text."""
    zh: str
    """The Chinese text."""


class Bin(TypedDict):
    """The outputs in one cell of pass ratio and score."""
    grid_cell: GridCell
    models: list[int]
    """Number of outputs per model."""


class Block(TypedDict):
    """The block that is the code."""
    block: NotRequired[int | None]
    """Its number in the list `reading.blocks` of the output, from 1; null or absent: the block that the rules choose.
    """

BlockRole: TypeAlias = "Literal['code', 'helper', 'left']"
"""What a code block is to the output."""


class Board(TypedDict):
    """Models × datasets."""
    all_datasets: list[list[str | Bilingual]]
    """Every dataset that can be chosen: short name and name."""
    datasets: list[BoardDataset]
    """The datasets shown, in the order of each row's results."""
    empty: list[EmptyModel]
    """Models that the filter selects without any result on the datasets shown, in the order of their names: the first
    200.
    """
    found: int
    """Number of models with results that the filter selects."""
    found_empty: int
    """Number of models that the filter selects without any result."""
    models: int
    """Number of models with outputs for any dataset shown."""
    page: DatasetPage
    """Which of the datasets these are."""
    rows: list[BoardRow]
    """One page of models with results, in the requested order; models without data for the column come last."""
    slice: str
    """Name of the slice of tasks that figures, ranks and highest values are of, such as `difficulty.hard`; empty for
    all tasks.
    """
    sort: str
    """The column by which rows are ordered."""


class BoardDataset(TypedDict):
    """A dataset of the leaderboard."""
    behind: bool
    """Whether newer figures are being computed."""
    computing: bool
    """Whether the first figures are being computed, so that none are shown yet."""
    dimensions: list[BoardDimension]
    """Dimensions of the rubric that people rate."""
    highest: list[float | None]
    """The highest value of each dimension, then of each pass@k, of all models; `None` with fewer than two values, and
    in a slice by difficulty, where each model has its own tasks.
    """
    name: Bilingual
    pass_at: list[int]
    """The k of each pass@k; empty without runs."""
    selection: Selection
    """The selection behind the figures, with every default resolved."""
    slice: NotRequired[DatasetSlice | None]
    slug: str
    """Short name."""
    without_ratings: int
    """Models with outputs but without ratings."""
    without_runs: int
    """Models with outputs but without a test run."""


class BoardDimension(TypedDict):
    """A dimension of the rubric, as a column."""
    checklist: bool
    """Whether it is an item of the checklist, whose mean is the share of yes."""
    high: int
    """Highest score."""
    key: str
    low: int
    """Lowest score."""
    name: Bilingual


class BoardResults(TypedDict):
    """One model's results on one dataset."""
    outputs: bool
    """Whether the model has outputs for the dataset."""
    people: NotRequired[Measured | None]
    tests: NotRequired[Measured | None]


class BoardRow(TypedDict):
    """A model of the leaderboard."""
    model: ModelId
    name: str
    rank: NotRequired[int | None]
    """One more than the number of models with a higher value in the column by which rows are ordered; `None` without a
    value, in the order of names, and in a slice by difficulty, where each model has its own tasks.
    """
    results: list[BoardResults]
    """One entry per dataset."""

CalibrationMode: TypeAlias = "Literal['none', 'must_pass', 'train']"
"""Whether and how calibration items open a study."""


class CalibrationRow(TypedDict):
    """A rater's progress in the calibration."""
    admitted: bool
    """Whether an admin admitted the rater."""
    earlier: int
    """Number of earlier rounds."""
    name: str
    rated: int
    """Items rated in this round."""
    rater: UserId
    right: int
    """Number of these within the tolerance."""
    state: NotRequired[CalibrationState | None]

CalibrationState: TypeAlias = "Literal['open', 'passed', 'stopped']"
"""State of a rater's calibration."""


class Caption(TypedDict):
    """The caption of a figure."""
    id: str
    """The figure's id, which is its file's name."""
    text: Bilingual
    """In English and Chinese."""


class CaseResult(TypedDict):
    """The result of one test case, if the tests report cases."""
    detail: str
    """The reason of the failure; empty if it passed."""
    name: str
    """Its name."""
    passed: bool
    """Whether it passed."""


class ChangeFence(TypedDict):
    """Only one fenced block of code was used."""
    first: int
    """Its first line, counted from 1."""
    kind: Literal['fence']
    last: int
    """Its last line."""


class ChangePackage(TypedDict):
    """The package declaration was removed."""
    declaration: str
    """The declaration."""
    kind: Literal['package']


class ChangeWrapBody(TypedDict):
    """The task's signature and a class were put around a bare body."""
    kind: Literal['wrap_body']

ChangeWrap = TypedDict(
    "ChangeWrap",
    {
        "class": "str",
        "kind": "Literal['wrap']",
    },
)
"""A class was put around the method."""

ChangeRename = TypedDict(
    "ChangeRename",
    {
        "from": "str",
        "kind": "Literal['rename']",
        "to": "str",
    },
)
"""The class was renamed."""


class ChangeOnePublicClass(TypedDict):
    """A class is no longer public, because only one of a file may be."""
    kind: Literal['one_public_class']


class ChangePublic(TypedDict):
    """A method was made public."""
    kind: Literal['public']
    method: str
    was: str
    """The modifier that it had."""


class ChangeConstructor(TypedDict):
    """The constructor was made public."""
    kind: Literal['constructor']


class ChangeAbstract(TypedDict):
    """The class is no longer abstract."""
    kind: Literal['abstract']


class ChangeExtends(TypedDict):
    """The class extends a base class that it did not extend."""
    base: str
    kind: Literal['extends']
    was: NotRequired[str | None]
    """The base class that it had, where it had one."""


class ChangeImplements(TypedDict):
    """The class implements an interface that it did not implement."""
    interface: str
    kind: Literal['implements']


class ChangeStatic(TypedDict):
    """A method is no longer static, because it overrides an instance method."""
    kind: Literal['static']
    method: str


class ChangeStaticCaller(TypedDict):
    """A member is no longer static, because it calls a method that is not."""
    calls: str
    """The method that it calls."""
    kind: Literal['static_caller']
    member: NotRequired[str | None]
    """The member; absent where it has no name."""


class ChangeImport(TypedDict):
    """An import was added."""
    kind: Literal['import']
    name: str


class ChangeImportLeftOut(TypedDict):
    """An unused import of something that does not exist was removed."""
    kind: Literal['import_left_out']
    name: str

Change: TypeAlias = """(
    ChangeFence
    | ChangePackage
    | ChangeWrapBody
    | ChangeWrap
    | ChangeRename
    | ChangeOnePublicClass
    | ChangePublic
    | ChangeConstructor
    | ChangeAbstract
    | ChangeExtends
    | ChangeImplements
    | ChangeStatic
    | ChangeStaticCaller
    | ChangeImport
    | ChangeImportLeftOut
)"""
"""A change made to the model's text so that it compiles."""


class ChatMessage(TypedDict):
    """A message of a conversation with a model."""
    content: str
    role: ChatRole

ChatRole: TypeAlias = "Literal['system', 'user', 'assistant']"
"""The author of a message."""


class Checked(TypedDict):
    """One model's run."""
    anomalies: list[str]
    """Ids of tasks whose tests reported more passes than cases."""
    metrics: Metrics
    missing: int
    """Outputs without a verdict."""
    pass_at: list[PassAtK]
    """pass@k for k = 1, 10 and 100 as far as there are samples, or for every k below ten samples."""
    pass_interval: NotRequired[Interval | None]
    published: NotRequired[PublishedChecked | None]
    ratio_interval: NotRequired[Interval | None]
    run: NotRequired[RunId | None]
    verdicts: list[list[Verdict | int]]
    """Number of outputs per verdict, in the verdicts' order."""


class Checks(TypedDict):
    """How a task's outputs are checked."""
    human: bool
    """By people."""
    tests: bool
    """By automated tests."""

CodeLang: TypeAlias = "Literal['java', 'python', 'cpp', 'javascript', 'go', 'rust']"
"""The programming language of a task and of the outputs for it."""

CodeRun: TypeAlias = "list[str]"
"""A run of text of one kind."""


class CodeView(TypedDict):
    """The code of one output for a page. It names nobody."""
    laid_out: NotRequired[list[Line] | None]
    """The formatted code; absent if it does not parse."""
    only_here: NotRequired[list[int]]
    """Lines that no other output on the page has, counted from 0: of the formatted form if there is one, otherwise of
    the original.
    """
    raw: list[Line]
    """The original code (without the fences of a chat response)."""
    remark: NotRequired[Remark | None]
    starts: NotRequired[list[Position]]
    """Start of each formatted line in the original code; empty if there is no formatted form."""
    surrounding_text: str
    """The text around the code of a chat response; may be empty."""


class CollectionDetail(TypedDict):
    """A collection with its settings."""
    endpoint_known: bool
    """Whether this process has its endpoint."""
    form: NotRequired[RequestForm | None]
    in_work: bool
    """Whether a process is sending its requests now."""
    orders: list[OrderMeans]
    """Of a judging with a drawn order of levels that is not running: the answers by order."""
    outdated: bool
    """Whether tasks have changed in a newer version of the dataset. Then its responses cannot be imported."""
    plan: CollectionPlan
    """The requests."""
    row: CollectionRow
    settings: CollectionSettings
    submissions: list[SubmissionId]
    """Submissions that were imported from its responses, newest first."""
    url: str
    """The endpoint's URL when the collection was created."""

CollectionId: TypeAlias = "int"
"""A collection of outputs from an endpoint."""


class CollectionPlan(TypedDict):
    """A preview of a collection's requests."""
    at_most: bool
    """Whether there may be fewer, with fewer tokens, because tests decide how long a dynamic conversation is."""
    first: list[PlannedPrompt]
    """The first prompts, at most [`PLAN_PROMPTS`]."""
    prompt_tokens: int
    """Estimated tokens of all prompts, where earlier answers count with their maximum, or with 500."""
    requests: int
    """Number of requests: tasks times samples, and in conversations times turns."""
    response_tokens: NotRequired[int | None]
    """Maximum tokens of all responses; absent if responses have no limit."""
    tasks: int
    """Number of tasks; of a judging, of outputs."""


class CollectionResume(TypedDict):
    """How to resume a collection. A limit that is absent stays as it is."""
    failed: NotRequired[bool]
    """Whether failed requests are sent again."""
    max_requests: NotRequired[int | None]
    """The new limit of requests, counted from the beginning."""
    max_tokens: NotRequired[int | None]
    """The new limit of tokens, counted from the beginning."""


class CollectionRow(TypedDict):
    """A row of the list of collections."""
    answered: int
    """Requests with a response. A judge that is asked once more counts once."""
    by: NotRequired[str | None]
    """The creator; absent for the command line."""
    created_at: Timestamp
    dataset: str
    """Short name of the dataset."""
    empty: int
    """Responses without a text. As outputs, they have no code."""
    ended_at: NotRequired[Timestamp | None]
    endpoint: str
    """Name of the endpoint."""
    endpoint_model: str
    """The model's name at the endpoint."""
    ends: list[EndCount]
    """Why responses ended, as the endpoint says, the most frequent reason first."""
    estimated: int
    """Responses whose tokens are estimated, because the endpoint did not report them."""
    failed: int
    """Requests that failed and are not repeated unless somebody asks for it."""
    id: CollectionId
    judging: NotRequired[JudgingFacts | None]
    left_s: NotRequired[int | None]
    """Expected seconds until it ends; absent while unknown."""
    model_name: str
    """The model's name in tables; a judging's judge."""
    number: int
    """The version of the dataset."""
    other_parts: int
    """Responses with parts that are neither text nor reasoning, which are left out."""
    prompt_tokens: int
    """Tokens of the prompts that were answered."""
    reason: NotRequired[StopReason | None]
    refused: int
    """Responses with a refusal apart from the text."""
    response_tokens: int
    """Tokens of the responses."""
    sent: int
    """Number of HTTP requests, including repeated ones."""
    status: CollectionStatus
    total: int
    """Number of requests: tasks, or a judging's outputs, times samples."""
    waiting: NotRequired[Waiting | None]


class CollectionSettings(TypedDict):
    """How a collection's requests are made."""
    at_once: NotRequired[int]
    """Simultaneous requests, 1 to [`MOST_AT_ONCE`]."""
    feedback_template: NotRequired[Bilingual]
    """The user message that says in a dynamic conversation that an answer fails, with `{instruction}` and `{failure}`,
    as `template`. Both empty for the default.
    """
    max_requests: NotRequired[int | None]
    """The collection stops when it has sent this many requests, including repeated ones; absent for no limit."""
    max_tokens: NotRequired[int | None]
    """The collection sends no request with which it could use more tokens than this, of prompts and responses; absent
    for no limit.
    """
    parameters: NotRequired[str]
    """Further fields of the request, as a JSON object; empty for none."""
    per_minute: NotRequired[int | None]
    """Maximum number of requests in a minute; absent for no limit."""
    response_tokens: NotRequired[int | None]
    """Maximum tokens per response (`max_tokens` of the request); absent for the endpoint's default."""
    samples: NotRequired[int]
    """Samples per task, 1 to [`MOST_SAMPLES`]."""
    seed: NotRequired[int | None]
    """Seed of the first sample; the seed of sample n is this plus n. Absent to send none."""
    stream: NotRequired[bool | None]
    """Whether responses are streamed; absent to stream them only if the endpoint refuses to answer otherwise."""
    system: NotRequired[str]
    """The system message; empty to send none."""
    temperature: NotRequired[float | None]
    """Sampling temperature, 0 to 2; absent for the endpoint's default."""
    template: NotRequired[Bilingual]
    """The user message, with `{description}`, `{signature}`, `{language}`, `{prompt}` and `{declaration}`: in English,
    and for tasks described in Chinese in Chinese, or the same if that is empty. Both empty for the default.
    """
    timeout_s: NotRequired[int]
    """Request timeout in seconds, 1 to 3600."""
    top_p: NotRequired[float | None]
    """Nucleus sampling, above 0 and at most 1; absent for the endpoint's default."""
    turn_template: NotRequired[Bilingual]
    """The user message of each instruction of a conversation, with `{instruction}`, as `template`. Both empty for the
    default.
    """
    way: NotRequired[Way | None]

CollectionStatus: TypeAlias = "Literal['draft', 'running', 'stopped', 'finished']"
"""The state of a collection."""


class Columns(TypedDict):
    """The columns to read of a table."""
    columns: dict[str, str]
    """Our names of columns, as in `table.fields` of the preview, to those in the file. A column that is left out has
    one of its usual names.
    """


class ComparedOutput(TypedDict):
    """One output with its verdict and ratings."""
    id: OutputId
    """The output."""
    rated: OutputRatings
    """Its code and its ratings in the selected studies."""
    verdict: NotRequired[list[int | Verdict] | None]
    """Verdict, passed and total, with their run."""


class ComparedTask(TypedDict):
    """One task with every model's outputs, side by side."""
    after: NotRequired[TaskId | None]
    before: NotRequired[TaskId | None]
    name: Bilingual
    """The dataset's name."""
    outputs: list[ComparedOutput]
    """The outputs, in the models' order."""
    rubric: NotRequired[Rubric | None]
    task: TaskRow
    tests: list[TestText]
    """The tests of the task and its reference solution."""


class Comparison(TypedDict):
    """The comparison of a study's models by people's ratings."""
    agreement: list[Agreement]
    """Agreement between raters, one entry per dimension."""
    differences: list[Difference]
    """One row per pair of models and dimension."""
    models: list[ModelScores]
    """The models, in display order."""
    resamples: int
    """Number of bootstrap resamples."""
    rubric: Rubric
    seed: str
    """Seed of the resamples. A string, because JavaScript numbers are exact only up to 2^53."""


class ComparisonFigures(TypedDict):
    """Every figure of a comparison."""
    automated: NotRequired[Automated | None]
    both: NotRequired[TestsAndRatings | None]
    human: NotRequired[Human | None]
    judges: list[Judge]
    """Judge models compared with people."""
    models: list[str]
    """Names of the models, in the order of every list below."""
    tokens: NotRequired[list[TokenUse]]
    """Tokens of the outputs, one entry per model; empty if no output has a number of tokens."""


class ComparisonView(TypedDict):
    """A comparison for its page."""
    behind: bool
    """Whether newer figures are being computed."""
    captions: list[Caption]
    """Captions of the figures, for papers."""
    counting: bool
    """Whether the first figures are being computed and `figures` is empty."""
    figures: ComparisonFigures
    live: bool
    """Whether ratings or verdicts can still be added."""
    options: Options
    """Everything that can be selected."""
    raters: list[str]
    """The raters' names; figures refer to them by index."""
    revision: str
    """Revision of the data behind the figures; it changes with the data."""
    selection: Selection
    """The selection with every default resolved, for a permanent link."""


class Conditions(TypedDict):
    """Limits, options and isolation layers of a run."""
    cpu_s: int
    """CPU time of one output in seconds. It decides."""
    dates: NotRequired[str | None]
    """The name of the dates that they saw, such as `june-2022`; absent for the current date."""
    failed_checks: NotRequired[list[FailedCheck]]
    """The failed sandbox checks that the operator allowed."""
    fast: bool
    """Whether harmless outputs shared a JVM."""
    groups: NotRequired[Sums | None]
    heap_mib: int
    """Java heap in MiB."""
    landlock: bool
    """Whether Landlock was available."""
    threads: int
    """Threads of its own."""
    wait_s: int
    """Waiting limit of one output in seconds: time in which it neither ran nor was ready to run."""


class ConversationDataset(TypedDict):
    """A dataset: one level of the benchmark, in one version of its data."""
    models: list[ModelConversations]
    """The models with results, by name."""
    runs: bool
    """Whether its tests can be run; otherwise all figures come from verdicts that the authors published."""
    slug: str
    """Its short name."""


class ConversationFigures(TypedDict):
    """Figures of conversations of all turns, by the definitions of the branch `v1`."""
    forgotten: Share
    """Mean IFR over the rounds after the base prompt: the share of earlier followed instructions that an answer that
    fails no longer follows.
    """
    forgotten_as_coded: Share
    """The same as the published program computes it: it tests the base prompt with all tests so far, so that an answer
    that fails always counts as having forgotten it.
    """
    instruction_accuracy: Share
    """IA: answers that pass the tests of their own instruction alone."""
    rounds: list[RoundFigures]
    """CA by round: answers that pass all tests so far. Round 1 is the base prompt."""


class ConversationResults(TypedDict):
    """The results of every dataset of CodeIF-Bench that has any."""
    datasets: list[ConversationDataset]
    """The datasets, by short name."""
    leaderboard: list[LeaderboardRow]
    """The leaderboard's column L-1, for models with results at function level and at repository level 1."""


class Correlation(TypedDict):
    """Rank correlations of two variables."""
    kendall: FigureEstimate
    """Kendall's tau-b."""
    n: int
    """Number of pairs of values."""
    spearman: FigureEstimate
    """Spearman's rank correlation."""

CountedScores: TypeAlias = "Literal['raw', 'final']"
"""The scores of an output that count."""


class Created(TypedDict):
    """A created resource."""
    id: int


class CreatedPublicLink(TypedDict):
    """A newly created public link."""
    path: str
    """Path of the page on this server. It is not stored and cannot be shown again."""
    row: PublicLinkRow


class CreatedToken(TypedDict):
    """A newly created token."""
    row: TokenRow
    secret: str
    """The secret. It is not stored and cannot be shown again."""


class CreatedWebhook(TypedDict):
    """A newly created webhook."""
    row: WebhookRow
    secret: str
    """Secret that signs messages. It is not shown again."""


class CurrentToken(TypedDict):
    """The caller."""
    name: str
    """The person that the token acts as."""
    scopes: list[Scope]
    """The token's scopes."""
    token: ApiTokenId


class DataDefectIndent(TypedDict):
    """Answers get another indentation than the code that they replace."""
    answer: int
    """Spaces before each line of an answer."""
    code: int
    """Spaces before the code."""
    kind: Literal['indent']


class DataDefectEarlyLines(TypedDict):
    """The lines that an answer replaces begin before the function and end before its end."""
    kind: Literal['early_lines']
    lines: int
    """How many lines early they begin."""


class DataDefectSharedTest(TypedDict):
    """Several tests have the same ID, of which a file can have only one."""
    kind: Literal['shared_test']
    task: str
    """A task with another test of this ID."""
    test: str
    """The test's ID."""


class DataDefectQuotedTest(TypedDict):
    """The ID of a test begins with a quotation mark, so it names no file."""
    kind: Literal['quoted_test']
    test: str
    """The test's ID."""


class DataDefectInvalidTest(TypedDict):
    """The text of a test is not valid Python."""
    kind: Literal['invalid_test']
    test: str
    """The test's ID."""

DataDefect: TypeAlias = """(
    DataDefectIndent
    | DataDefectEarlyLines
    | DataDefectSharedTest
    | DataDefectQuotedTest
    | DataDefectInvalidTest
)"""
"""A defect of a benchmark's data, because of which its tests cannot judge answers."""


class Dataset(TypedDict):
    """A dataset without its tasks."""
    description: Bilingual
    """The dataset's own description."""
    license: str
    """The license, as named by the source."""
    row: DatasetRow
    """The row of the list."""
    source: str
    """The source of the import."""
    versions: list[VersionRow]
    """Every version, newest first."""

DatasetId: TypeAlias = "int"
"""A named set of tasks, with all its versions."""


class DatasetPage(TypedDict):
    """Which of the datasets a page of results shows, in the order of their short names."""
    all: int
    """Number of datasets in all."""
    before: int
    """Number of datasets before these."""
    next: NotRequired[str | None]
    """What `after` is for the next page; absent on the last page."""
    previous: NotRequired[str | None]
    """What `after` is for the previous page, empty for the first; absent on the first page."""


class DatasetRow(TypedDict):
    """A row of the dataset list."""
    code_langs: list[CodeLang]
    """Programming languages of the tasks, in the order of [`CodeLang::ALL`]."""
    human: int
    """Number of these that people grade."""
    id: DatasetId
    """The dataset."""
    imported_at: Timestamp
    """Import time of the newest version."""
    name: Bilingual
    """Display name."""
    number: int
    """Number of the newest version, from 1."""
    slug: str
    """Short name, used in URLs and on the command line."""
    submissions: int
    """Number of submissions for all versions."""
    tasks: int
    """Number of tasks in the newest version."""
    tests: int
    """Number of these with tests."""
    version: DatasetVersionId
    """Newest version, which new studies and runs use."""


class DatasetSlice(TypedDict):
    """The tasks of a dataset that a slice of the leaderboard has."""
    nl_langs: int
    """Languages of the descriptions of the tasks with ratings or tests."""
    of: NotRequired[SliceOf | None]
    of_tasks: int
    """Tasks with ratings or tests in all slices."""
    tasks: int
    """Tasks with ratings or tests in the slice. By difficulty, a task can be in it for some models only."""
    tested: int
    """Models with a test run: their verdicts say how difficult a task is."""

DatasetVersionId: TypeAlias = "int"
"""One imported version of a dataset."""

Dates: TypeAlias = "Literal['june-2022']"
"""A date that outputs and tests can see in place of today's."""

Day: TypeAlias = "str"

DecidingTest: TypeAlias = "Literal['wilcoxon', 'mcnemar_mid', 'permutation']"
"""The test that decides whether the difference between two models is significant."""


class Decision(TypedDict):
    """An adjudication."""
    at: Timestamp
    by: str
    """The adjudicator."""
    comment: str
    """The reason."""
    replaced: bool
    """Whether a later adjudication replaced it."""
    scores: list[int]
    """One for each dimension, then one for each instruction."""


class DefaultRubric(TypedDict):
    """A dataset's default rubric."""
    rubric: str
    """Short name and version, such as `aixbench 1`; without a number, the newest version."""

DeliveryId: TypeAlias = "int"
"""One delivery to a webhook."""


class DeliveryRow(TypedDict):
    """One message to a webhook."""
    attempts: int
    """Number of attempts."""
    created_at: Timestamp
    """Time of the event."""
    error: NotRequired[RequestFault | None]
    event: WebhookEvent
    """The event."""
    id: DeliveryId
    next_at: NotRequired[Timestamp | None]
    state: DeliveryState
    status: NotRequired[int | None]
    """HTTP status of the latest response."""
    subject: NotRequired[int | None]
    """Id of the run or the study."""

DeliveryState: TypeAlias = "Literal['waiting', 'delivered', 'failed']"
"""Delivery state of a message."""


class Dependent(TypedDict):
    """Objects of one kind that belong to another."""
    count: int
    """Their number, at least 1."""
    kind: DependentKind
    """The kind."""

DependentKind: TypeAlias = """(
    Literal['collections', 'datasets', 'adjudications', 'drafts', 'judgings', 'known_items', 'outputs',
    'planned_ratings', 'ratings', 'runs', 'running_runs', 'studies', 'submissions', 'tasks']
)"""
"""A kind of dependent."""

Details: TypeAlias = "list[Fact]"
"""The details of an entry: what is worth knowing about the change."""


class Diagnostic(TypedDict):
    """One message of the compiler."""
    line: NotRequired[int | None]
    """The line of the model's own text, from 1; absent if the message concerns added text."""
    message: str
    """The compiler's own text."""


class Difference(TypedDict):
    """Difference between two models on one dimension."""
    dimension: int
    """Index of the dimension in the rubric."""
    first: int
    """Index of the first model (minuend) in [`Comparison::models`]."""
    interval: NotRequired[Interval | None]
    mean: NotRequired[float | None]
    """Mean over these tasks of first minus second; `None` without common tasks."""
    second: int
    """Index of the second model (subtrahend)."""
    tasks: int
    """Number of common tasks, over which the difference is computed."""

DifferenceReason: TypeAlias = "Literal['other_text', 'profile', 'defect', 'unknown']"
"""Why a verdict differs from the one that the authors published."""

Difficulty: TypeAlias = "Literal['hard', 'medium', 'easy', 'unknown']"
"""How difficult a task is for a model, by the other models."""


class Dimension(TypedDict):
    """One judged aspect."""
    checklist: NotRequired[bool]
    """Whether it is an item of the checklist: a statement that raters answer with yes (score 1) or no (score 0). Items
    follow the other dimensions.
    """
    key: str
    """The name in data files, such as `correctness`: lowercase letters and `_`."""
    levels: NotRequired[list[Level]]
    """Every level, best first. Files may leave out those of a checklist item, which are yes and no."""
    name: Bilingual
    """The name on screen."""
    question: NotRequired[Bilingual]
    """The question that the rater answers, in a few words."""


class DimensionScores(TypedDict):
    """One model's scores on one dimension."""
    distribution: list[int]
    """Number of ratings per score, lowest score first."""
    interval: NotRequired[Interval | None]
    mean: NotRequired[float | None]
    """Mean over tasks of the mean over raters; where the models have different tasks, the task-adjusted mean
    (docs/statistics.md). `None` without ratings.
    """
    own_interval: NotRequired[Interval | None]
    own_mean: NotRequired[float | None]
    """Mean over the model's own tasks, without adjustment."""


class DimensionSummary(TypedDict):
    """A dimension in short."""
    checklist: bool
    """Whether it is an item of the checklist."""
    high: int
    """The highest score."""
    low: int
    """The lowest score."""
    name: Bilingual
    """The name on screen."""


class Disagreement(TypedDict):
    """A disagreement as its adjudicator sees it, without names of raters or the model."""
    adjudicated: NotRequired[list[list[int] | str] | None]
    """The current adjudication, if any: scores and comment."""
    adjudicated_at: NotRequired[Timestamp | None]
    output: RatedOutput
    """With an item for each instruction of the conversation, where raters answer which the output follows."""
    title: str
    """The study's title."""
    token: Token
    """Opaque token of the disagreement."""


class DisagreementLine(TypedDict):
    """A disagreement in an adjudicator's list."""
    adjudicated_at: NotRequired[Timestamp | None]
    nl_lang: Lang
    raw_nl: str
    """Start of the description."""
    spread: int
    """Largest difference on any dimension."""
    title: str
    """The study's title."""
    token: Token
    """Opaque token of the disagreement."""


class DisagreementQueue(TypedDict):
    """An adjudicator's open and adjudicated disagreements."""
    adjudicated: int
    """Total adjudicated by this person."""
    lines: list[DisagreementLine]
    """The first open ones, then the first adjudicated ones."""
    waiting: int
    """Total open."""


class DisagreementRow(TypedDict):
    """An output with a disagreement, for an admin."""
    final_scores: NotRequired[list[float] | None]
    """The final scores, if any. A median has none for instructions."""
    history: list[Decision]
    """Every adjudication, newest first."""
    instructions: NotRequired[list[Dimension]]
    """The items for the instructions of its conversation, where raters answer which it follows. All scores below are of
    the rubric's dimensions, and then of these items.
    """
    model: str
    nl_lang: Lang
    output: OutputId
    """The output."""
    rater_left: bool
    """Whether a rater is left who could give an extra rating."""
    ratings: list[list[str | list[int]]]
    """Each rater with their scores."""
    raw_nl: str
    """Start of the description."""
    spread: list[int]
    """The spread on each dimension."""
    state: DisagreementState
    """Its state."""
    task: TaskId
    """Its task."""
    task_id: str
    """The task's `task_id`."""
    token: NotRequired[Token | None]

DisagreementState: TypeAlias = "Literal['waiting', 'extra_rater', 'median', 'adjudicated']"
"""The state of a disagreement."""


class DynamicFigures(TypedDict):
    """Figures of dynamic conversations, by the definitions of the branch `v1`. None are published; these are computed
    from a run.
    """
    all: DynamicShares
    """Over all answers."""
    rounds: list[DynamicRound]
    """By round; round 1 is the base prompt. Conversations have different numbers of rounds."""


class DynamicRound(TypedDict):
    """The figures of one round of the dynamic conversations that have it."""
    accuracy: Share
    """CA: the mean share of the instructions asked for so far that an answer follows."""
    efficiency: Share
    """IFE: the mean of the number of these instructions that an answer follows, divided by the rounds so far."""
    forgotten: Share
    """IFR: the mean share of the instructions followed earlier that an answer no longer follows."""
    instruction_accuracy: Share
    """IA: answers that pass the tests of their own instruction."""
    round: int
    """From 1, the base prompt."""


class DynamicShares(TypedDict):
    """The figures of some answers of dynamic conversations."""
    accuracy: Share
    """CA: the mean share of the instructions asked for so far that an answer follows."""
    efficiency: Share
    """IFE: the mean of the number of these instructions that an answer follows, divided by the rounds so far."""
    forgotten: Share
    """IFR: the mean share of the instructions followed earlier that an answer no longer follows."""
    instruction_accuracy: Share
    """IA: answers that pass the tests of their own instruction."""


class EarlyResult(TypedDict):
    """An output that was run before the import."""
    message: str
    """What the compiler, the program or its tests said."""
    place: FileLine
    """Its place in the file."""
    published: NotRequired[PublishedVerdict | None]
    reason: NotRequired[Reason | None]
    verdict: Verdict


class EarlyResults(TypedDict):
    """A few outputs of a file that were run before the import, spread over its tasks."""
    fault: NotRequired[Fault | None]
    results: list[EarlyResult]
    """Those that ran, at most [`MOST_EARLY`]."""


class EmptyModel(TypedDict):
    """A model without any result."""
    model: ModelId
    name: str


class Enabled(TypedDict):
    """A yes-or-no setting."""
    on: bool
    """The new value."""


class EndCount(TypedDict):
    """How many responses ended for a reason."""
    reason: NotRequired[str | None]
    """The endpoint's `finish_reason`, such as `stop` or `length`; absent if it gave none."""
    responses: int


class EndpointRow(TypedDict):
    """An endpoint that the operator allows."""
    has_key: bool
    """Whether the operator gave a key for it."""
    name: str
    """The operator's name for it."""
    url: str
    """The address before `/chat/completions`."""


class Entry(TypedDict):
    """A change that was made."""
    action: str
    """The action, as `noun.verb`."""
    address: NotRequired[str | None]
    """The client's address."""
    at: Timestamp
    """When."""
    detail: Details
    """What else is worth knowing."""
    id: int
    """Its number; later changes have higher ones."""
    object: str
    """The changed object, such as `study 3`."""
    person: NotRequired[str | None]
    """The account's name; absent for the command line."""
    token: NotRequired[int | None]
    """The number of the token."""
    via: NotRequired[Via | None]


class Environment(TypedDict):
    """The conditions that were the same for every output of a run."""
    conditions: Conditions
    """Limits, options and isolation layers."""
    encoding: str
    """The default charset."""
    fingerprint: str
    """A checksum of everything that determines verdicts: tests, harness, Java build, options."""
    java: str
    """The versions of the toolchains that ran the code: a Java build, or one per language."""
    locale: str
    """The locale."""
    parts: NotRequired[list[str]]
    """The same for each language or toolchain alone, as the outputs in it have it; empty if there is one."""
    time_zone: str
    """The time zone."""


class Estimate(TypedDict):
    """A figure with its 95 % interval, which can be undefined by itself."""
    interval: FigureInterval
    """Its 95 % interval."""
    value: float


class Estimated(TypedDict):
    """A value with its 95 % interval."""
    interval: NotRequired[Interval | None]
    value: float


class Extension(TypedDict):
    """Extension of a study. Nothing is ever removed."""
    raters_per_output: NotRequired[int | None]
    """New number of raters per output, at least the current one."""
    submissions: NotRequired[list[SubmissionId]]
    """Submissions to add."""
    tasks: NotRequired[int | None]
    """New number of tasks, at least the current one."""


class ExtraWork(TypedDict):
    """The work that quality settings add for a rater: what is expected, since the positions of hidden checks are
    random.
    """
    calibration: int
    """Calibration items."""
    known: float
    """Hidden known-score items."""
    ratings: int
    """Ratings of the study's outputs to which it is added."""
    repeats: float
    """Repeated outputs."""


class FactAccount(TypedDict):
    """The person that the change is about."""
    account: UserId
    """The person that the change is about."""


class FactAddedMembers(TypedDict):
    """Names of people who became members."""
    added_members: list[str]
    """Names of people who became members."""


class FactAudience(TypedDict):
    """Who reads an announcement: `everyone`, `study 3`, `group 2` or `account 5`."""
    audience: str
    """Who reads an announcement: `everyone`, `study 3`, `group 2` or `account 5`."""


class FactDataset(TypedDict):
    """A dataset, by its short name."""
    dataset: str
    """A dataset, by its short name."""


class FactDays(TypedDict):
    """For how many days it is valid."""
    days: int
    """For how many days it is valid."""


class FactDelivery(TypedDict):
    """A message to a webhook."""
    delivery: DeliveryId
    """A message to a webhook."""


class FactDuplicate(TypedDict):
    """The study that duplicates it."""
    duplicate: StudyId
    """The study that duplicates it."""


class FactEndpoint(TypedDict):
    """The operator's endpoint that is asked."""
    endpoint: str
    """The operator's endpoint that is asked."""


class FactFlag(TypedDict):
    """What the flag is about."""
    flag: FlagOn
    """What the flag is about."""


class FactFreed(TypedDict):
    """What was deleted because nothing refers to it, and how many."""
    freed: list[dict[str, Any]]
    """What was deleted because nothing refers to it, and how many."""


class FactGroup(TypedDict):
    """The name of a group."""
    group: str
    """The name of a group."""


class FactHours(TypedDict):
    """For how many hours it is valid."""
    hours: int
    """For how many hours it is valid."""


class FactInboxItem(TypedDict):
    """The kind of an item of the inbox."""
    inbox_item: InboxKind
    """The kind of an item of the inbox."""


class FactInvalidLines(TypedDict):
    """Lines of a file that were invalid and left out."""
    invalid_lines: int
    """Lines of a file that were invalid and left out."""


class FactIssuer(TypedDict):
    """The provider of single sign-on."""
    issuer: str
    """The provider of single sign-on."""


class FactKnownItem(TypedDict):
    """A known-score item."""
    known_item: int
    """A known-score item."""


class FactKnownItems(TypedDict):
    """How many known-score items."""
    known_items: int
    """How many known-score items."""


class FactLabel(TypedDict):
    """What an admin calls it."""
    label: str
    """What an admin calls it."""


class FactLink(TypedDict):
    """A public link."""
    link: PublicLinkId
    """A public link."""


class FactMade(TypedDict):
    """How a password or an account came into being."""
    made: Made
    """How a password or an account came into being."""


class FactModel(TypedDict):
    """The name of a model."""
    model: str
    """The name of a model."""


class FactName(TypedDict):
    """The name or title of the object."""
    name: str
    """The name or title of the object."""


class FactOldName(TypedDict):
    """The name or title of the object before."""
    old_name: str
    """The name or title of the object before."""


class FactOutput(TypedDict):
    """An output of a model."""
    output: OutputId
    """An output of a model."""


class FactBlock(TypedDict):
    """The code block of a response that is the code, from 1; `None`: the one that the rules choose."""
    block: int | None
    """The code block of a response that is the code, from 1; `None`: the one that the rules choose."""


class FactPace(TypedDict):
    """Seconds for a rating; absent: as measured."""
    pace: int | None
    """Seconds for a rating; absent: as measured."""


class FactPool(TypedDict):
    """Where a known-score item is used."""
    pool: Pool
    """Where a known-score item is used."""


class FactRatings(TypedDict):
    """How many ratings."""
    ratings: int
    """How many ratings."""


class FactReads(TypedDict):
    """The languages that a person reads."""
    reads: Reads
    """The languages that a person reads."""


class FactReason(TypedDict):
    """Why, in the words of the admin."""
    reason: str
    """Why, in the words of the admin."""


class FactRemovedMembers(TypedDict):
    """Names of people who are members no more."""
    removed_members: list[str]
    """Names of people who are members no more."""


class FactRerun(TypedDict):
    """Which outputs run again."""
    rerun: Rerun
    """Which outputs run again."""


class FactResponses(TypedDict):
    """How many responses of a model."""
    responses: int
    """How many responses of a model."""


class FactRole(TypedDict):
    """The role of an account."""
    role: Role
    """The role of an account."""


class FactRubric(TypedDict):
    """A rubric with its version, such as `aixbench/2`."""
    rubric: str
    """A rubric with its version, such as `aixbench/2`."""


class FactSettings(TypedDict):
    """What was set, by the API's names."""
    settings: Any
    """What was set, by the API's names."""


class FactStatus(TypedDict):
    """The new status of a study."""
    status: StudyStatus
    """The new status of a study."""


class FactStudy(TypedDict):
    """The study for which it was done."""
    study: StudyId
    """The study for which it was done."""


class FactSubmission(TypedDict):
    """A submission."""
    submission: SubmissionId
    """A submission."""


class FactTokenPrefix(TypedDict):
    """The first characters of a token."""
    token_prefix: str
    """The first characters of a token."""


class FactUrl(TypedDict):
    """An address."""
    url: str
    """An address."""


class FactVersion(TypedDict):
    """The new version."""
    version: int
    """The new version."""

Fact: TypeAlias = """(
    FactAccount
    | FactAddedMembers
    | FactAudience
    | FactDataset
    | FactDays
    | FactDelivery
    | FactDuplicate
    | FactEndpoint
    | FactFlag
    | FactFreed
    | FactGroup
    | FactHours
    | FactInboxItem
    | FactInvalidLines
    | FactIssuer
    | FactKnownItem
    | FactKnownItems
    | FactLabel
    | FactLink
    | FactMade
    | FactModel
    | FactName
    | FactOldName
    | FactOutput
    | FactBlock
    | FactPace
    | FactPool
    | FactRatings
    | FactReads
    | FactReason
    | FactRemovedMembers
    | FactRerun
    | FactResponses
    | FactRole
    | FactRubric
    | FactSettings
    | FactStatus
    | FactStudy
    | FactSubmission
    | FactTokenPrefix
    | FactUrl
    | FactVersion
)"""
"""Something worth knowing about a change, besides its action and its object. It holds no secret and no file's content.
"""


class FailedCheck(TypedDict):
    """A sandbox check with an unexpected verdict."""
    check: SandboxCheck
    expected: Verdict
    """The verdict that shows the isolation layer to work."""
    found: Verdict
    lang: NotRequired[CodeLang | None]
    message: str
    """The program's message; may be empty."""
    reason: NotRequired[Reason | None]

FailureClass: TypeAlias = """(
    Literal['assertion_error', 'compilation_error', 'syntax_error', 'undefined_error', 'type_error', 'unused_error',
    'timeout_error', 'index_error', 'range_error', 'class_cast_error', 'null_pointer_error', 'pointer_error',
    'invalid_argument', 'number_format_error', 'no_such_element', 'unsupported_operation', 'arithmetic_error',
    'stack_overflow', 'out_of_memory', 'uncaught_exception', 'runtime_error', 'other']
)"""
"""Why an output fails as published, in the classes of the benchmark's `inspect_result.py`. Each language has some of
them.
"""


class FaultSandbox(TypedDict):
    """The sandbox could not be started."""
    code: Literal['sandbox']
    detail: str
    """The message of the sandbox or the operating system."""


class FaultToolchain(TypedDict):
    """A compiler or a library that tests need is not installed."""
    code: Literal['toolchain']
    detail: str
    """What is missing, and how to install it."""


class FaultHarness(TypedDict):
    """The harness inside the sandbox did not answer as it should."""
    code: Literal['harness']
    detail: str
    """The fault."""


class FaultBusy(TypedDict):
    """The host gave a process too little CPU time for a verdict."""
    code: Literal['busy']
    detail: str
    """How little."""


class FaultTests(TypedDict):
    """The dataset's tests do not compile or are incomplete."""
    code: Literal['tests']
    detail: str
    """The first problem; may be empty."""
    reason: NotRequired[Reason | None]


class FaultNoTests(TypedDict):
    """The dataset has no tests."""
    code: Literal['no_tests']


class FaultNoRepositories(TypedDict):
    """The tests need the sources of projects, and the operator has named no folder with them."""
    code: Literal['no_repositories']


class FaultProject(TypedDict):
    """A project that the operator supplies cannot be used, so the tests of its tasks cannot run."""
    code: Literal['project']
    problem: ProjectProblem
    """Why."""
    project: str
    """Its folder below `Source_Code`."""


class FaultFailedChecks(TypedDict):
    """Sandbox checks failed, so nothing was run."""
    checks: list[FailedCheck]
    """Those that failed."""
    code: Literal['failed_checks']


class FaultDiskFull(TypedDict):
    """The disk is full."""
    code: Literal['disk_full']
    folder: str
    """The folder that the engine writes to."""


class FaultWorkersLost(TypedDict):
    """Every worker that got the output stopped without a result, as if the output had killed it."""
    code: Literal['workers_lost']
    times: int
    """How many."""


class FaultSystem(TypedDict):
    """The operating system or the database refused something."""
    code: Literal['system']
    detail: str
    """Its message."""

Fault: TypeAlias = """(
    FaultSandbox
    | FaultToolchain
    | FaultHarness
    | FaultBusy
    | FaultTests
    | FaultNoTests
    | FaultNoRepositories
    | FaultProject
    | FaultFailedChecks
    | FaultDiskFull
    | FaultWorkersLost
    | FaultSystem
)"""
"""Why the engine could not run an output, or a run at all. It says nothing about the output."""

FeedbackLevel: TypeAlias = "Literal['nothing', 'progress', 'own']"
"""The figures about themselves that raters see."""


class FigureAdjustedKnownValue(TypedDict):
    """Means adjusted for the raters' leniency."""
    means: list[FigureF64]
    """Adjusted mean of each model, in the order given."""
    raters: list[list[int | float]]
    """Each rater's leniency in levels of the scale; negative is strict. They sum to zero."""


class FigureAdjustedKnown(TypedDict):
    known: FigureAdjustedKnownValue
    """Means adjusted for the raters' leniency."""


class FigureAdjustedUndefined(TypedDict):
    undefined: Undefined

FigureAdjusted: TypeAlias = "FigureAdjustedKnown | FigureAdjustedUndefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigureAltTestKnownValue(TypedDict):
    """The alternative annotator test: whether a judge may replace a rater."""
    advantage: Estimate
    """Mean over raters of the share of outputs on which the judge is at least as close to the other raters."""
    left_out: int
    """Raters with too few outputs."""
    raters: list[RaterAdvantage]
    """The raters that it is about."""
    winning: list[Winning]
    """The test's result for each value of epsilon."""


class FigureAltTestKnown(TypedDict):
    known: FigureAltTestKnownValue
    """The alternative annotator test: whether a judge may replace a rater."""


class FigureAltTestUndefined(TypedDict):
    undefined: Undefined

FigureAltTest: TypeAlias = "FigureAltTestKnown | FigureAltTestUndefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigureEstimateKnown(TypedDict):
    known: Estimate
    """A figure with its 95 % interval, which can be undefined by itself."""


class FigureEstimateUndefined(TypedDict):
    undefined: Undefined

FigureEstimate: TypeAlias = "FigureEstimateKnown | FigureEstimateUndefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigureIntervalKnown(TypedDict):
    known: Interval
    """A 95 % interval."""


class FigureIntervalUndefined(TypedDict):
    undefined: Undefined

FigureInterval: TypeAlias = "FigureIntervalKnown | FigureIntervalUndefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigureMcNemarKnownValue(TypedDict):
    """McNemar's test, two-sided."""
    exact: float
    """The exact p-value."""
    first_only: int
    """Tasks solved only by the first model."""
    mid: float
    """The mid-p-value."""
    second_only: int
    """Tasks solved only by the second model."""


class FigureMcNemarKnown(TypedDict):
    known: FigureMcNemarKnownValue
    """McNemar's test, two-sided."""


class FigureMcNemarUndefined(TypedDict):
    undefined: Undefined

FigureMcNemar: TypeAlias = "FigureMcNemarKnown | FigureMcNemarUndefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigureNeededKnownValue(TypedDict):
    """Approximate number of ratings needed to confirm the observed difference between two models with a power of 80 %.
    """
    more_ratings: int
    """Ratings of both models for the additional tasks; 0 if the present ones are enough."""
    per_task: FigureU64
    """Ratings per model and task, on the present tasks. Undefined if no number of them is enough
    ([`Undefined::TooFew`]), or if no task was rated twice ([`Undefined::NoPairs`]).
    """
    tasks: int
    """Total tasks, each rated as often as now."""


class FigureNeededKnown(TypedDict):
    known: FigureNeededKnownValue
    """Approximate number of ratings needed to confirm the observed difference between two models with a power of 80 %.
    """


class FigureNeededUndefined(TypedDict):
    undefined: Undefined

FigureNeeded: TypeAlias = "FigureNeededKnown | FigureNeededUndefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigurePairedKnownValue(TypedDict):
    """Tests and effect sizes for two models over their common tasks."""
    cliff_delta: float
    """Cliff's delta, −1 to 1."""
    cohen_dz: FigureF64
    """Cohen's d_z."""
    mean: float
    """Mean difference, first minus second."""
    needed: FigureNeeded
    """Ratings needed to confirm the difference."""
    permutation: Permutation
    """The permutation test of the mean difference."""
    rank_biserial: FigureF64
    """Matched-pairs rank-biserial correlation, −1 to 1."""
    tasks: int
    """Number of common tasks."""
    wilcoxon: Wilcoxon
    """Wilcoxon's signed-rank test."""


class FigurePairedKnown(TypedDict):
    known: FigurePairedKnownValue
    """Tests and effect sizes for two models over their common tasks."""


class FigurePairedUndefined(TypedDict):
    undefined: Undefined

FigurePaired: TypeAlias = "FigurePairedKnown | FigurePairedUndefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigureF64Known(TypedDict):
    known: float


class FigureF64Undefined(TypedDict):
    undefined: Undefined

FigureF64: TypeAlias = "FigureF64Known | FigureF64Undefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FigureU64Known(TypedDict):
    known: int


class FigureU64Undefined(TypedDict):
    undefined: Undefined

FigureU64: TypeAlias = "FigureU64Known | FigureU64Undefined"
"""JSON form of [`Known`]: `{"known": figure}` or `{"undefined": reason}`."""


class FileLine(TypedDict):
    """A line in a list of a preview."""
    label: str
    """The task's ID in the file, or the class's file name."""
    line: int
    """Number of the line, from 1; 0 for a class of an archive."""


class FlagExit(TypedDict):
    kind: Literal['exit']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagProcess(TypedDict):
    kind: Literal['process']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagNative(TypedDict):
    kind: Literal['native']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagReflection(TypedDict):
    kind: Literal['reflection']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagDescriptor(TypedDict):
    kind: Literal['descriptor']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagHost(TypedDict):
    kind: Literal['host']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagNetwork(TypedDict):
    kind: Literal['network']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagDefaults(TypedDict):
    kind: Literal['defaults']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagEquals(TypedDict):
    kind: Literal['equals']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagThreads(TypedDict):
    kind: Literal['threads']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagThreadsLeft(TypedDict):
    count: int
    """How many."""
    kind: Literal['threads_left']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""


class FlagUnconfirmed(TypedDict):
    kind: Literal['unconfirmed']
    line: NotRequired[int | None]
    """The line of the model's own text, from 1, if it is in the text."""

Flag: TypeAlias = """(
    FlagExit
    | FlagProcess
    | FlagNative
    | FlagReflection
    | FlagDescriptor
    | FlagHost
    | FlagNetwork
    | FlagDefaults
    | FlagEquals
    | FlagThreads
    | FlagThreadsLeft
    | FlagUnconfirmed
)"""
"""A warning about an output for a person to check. It decides nothing."""


class FlagOnAssignment(TypedDict):
    """An assignment of the study."""
    assignment: int
    """An assignment of the study."""


class FlagOnCheck(TypedDict):
    """A calibration item or a hidden check."""
    check: int
    """A calibration item or a hidden check."""

FlagOn: TypeAlias = "FlagOnAssignment | FlagOnCheck"
"""The object of a flag."""


class FlagReplyText(TypedDict):
    """A reply to a flag."""
    on: FlagOn
    """ID of the flag, as in the list of flags."""
    reply: NotRequired[str]
    """Reply to the rater; empty resolves the flag without one."""


class FlagRow(TypedDict):
    """A flag and its reply."""
    answer: NotRequired[list[str | int] | None]
    """The reply (empty: resolved without one), its author and time."""
    at: Timestamp
    comment: str
    """The rater's comment on it."""
    flag: RaterFlag
    model: NotRequired[str | None]
    """The model; `None` for a calibration item."""
    nl_lang: Lang
    on: FlagOn
    """The flagged object."""
    rater: str
    raw_nl: str
    """Start of the description."""
    read: bool
    """Whether the rater has read the reply."""
    task: NotRequired[TaskId | None]
    task_id: str
    """The task's `task_id`."""


class FolderProblemUnreadable(TypedDict):
    """It cannot be read."""
    detail: str
    """The message of the operating system."""
    kind: Literal['unreadable']


class FolderProblemUnwritable(TypedDict):
    """It cannot be written."""
    detail: str
    """The message of the operating system."""
    kind: Literal['unwritable']


class FolderProblemOtherFiles(TypedDict):
    """It contains files that are no backups."""
    kind: Literal['other_files']


class FolderProblemOtherServer(TypedDict):
    """It has backups of another server."""
    kind: Literal['other_server']


class FolderProblemInUse(TypedDict):
    """Another process is writing to it."""
    kind: Literal['in_use']

FolderProblem: TypeAlias = """(
    FolderProblemUnreadable
    | FolderProblemUnwritable
    | FolderProblemOtherFiles
    | FolderProblemOtherServer
    | FolderProblemInUse
)"""
"""Why a folder of backups cannot be used."""


class FollowedInstructions(TypedDict):
    """Raters' answers about one kind of instruction."""
    answers: int
    """Number of answers."""
    kind: InstructionKind
    models: list[DimensionScores]
    """The share of yes of each model; the mean of yes = 1 and no = 0."""
    name: Bilingual
    """The name of the kind on screen."""
    reliability: Reliability
    """Agreement on the same instruction of the same output."""


class GridCell(TypedDict):
    """A cell of pass ratio and score, on a grid of 21 by 13."""
    ratio: int
    """Pass ratio in twentieths, 0 to 20. An anomaly above 1 counts as 1."""
    score: int
    """Position on the scale in twelfths, 0 to 12: quarters of a level on a scale from 1 to 4."""


class Group(TypedDict):
    """A group."""
    id: GroupId
    members: list[Member]
    """The people in it, by name."""
    name: str
    """Its name; no two groups have the same."""

GroupId: TypeAlias = "int"
"""A group of people."""


class GroupName(TypedDict):
    """A group without its members."""
    id: GroupId
    name: str


class GuidelinesDetail(TypedDict):
    """The guidelines of a study, or the default of a dataset's new studies, as admins see them."""
    html: Bilingual
    """The same as safe HTML."""
    name: str
    """The study's title or the dataset's short name."""
    text: Bilingual
    """Markdown; empty where there are none."""
    version: int
    """The version shown, from 1; 0 without any."""
    versions: list[GuidelinesVersion]
    """Every version, newest first."""


class GuidelinesVersion(TypedDict):
    """A saved version of guidelines. It never changes."""
    created_at: Timestamp
    """When it was saved."""
    created_by: NotRequired[str | None]
    """The person who saved it; absent for the command line."""
    version: int
    """The version, from 1."""

HistoryRun = TypedDict(
    "HistoryRun",
    {
        "answered": "NotRequired[int]",
        "at": "Timestamp",
        "pass": "NotRequired[Estimated | None]",
        "run": "RunId",
        "submission": "SubmissionId",
        "tasks": "int",
        "versus": "NotRequired[Versus | None]",
    },
)
"""A run of one of the model's submissions."""


class Human(TypedDict):
    """Comparison by people's ratings."""
    adjudicated: int
    """Number of outputs whose adjudicated score replaces their ratings."""
    adjusted: list[FigureAdjusted]
    """Means adjusted for the raters' leniency, one entry per dimension."""
    comparison: Comparison
    """Means, distributions, differences, agreement."""
    holm: list[float | None]
    """Wilcoxon's p-value of each difference after Holm's correction over all."""
    instructions: NotRequired[list[FollowedInstructions]]
    """Whether raters find that outputs follow their instructions, one entry per kind of instruction with answers."""
    raters: int
    """Number of raters."""
    reliability: list[Reliability]
    """Agreement coefficients, one entry per dimension. Raters are indices into [`ComparisonView::raters`]."""
    tests: list[FigurePaired]
    """Tests of the differences, in the order of `comparison.differences`."""


class IdentityLeak(TypedDict):
    """An identity leak in an output."""
    code_line: NotRequired[int | None]
    """The line of the code, from 1; absent if it is in the surrounding text."""
    excerpt: str
    """The text around it."""
    line: int
    """The line of the file; 0 for an imported output."""
    name: str
    """The first name found, as it is written."""
    others: NotRequired[list[str]]
    """The other names in the output, each once."""
    task_id: str
    """The task's `task_id`."""


class ImportReport(TypedDict):
    """Result of an import."""
    datasets: list[ImportedDataset]
    """One entry per dataset found."""
    notes: list[str]
    """Notices that are not errors."""
    rubric: NotRequired[str | None]
    """Name of the rubric whose wording was imported, if any."""


class Imported(TypedDict):
    """Number of imported items."""
    imported: int
    """Number of items."""


class ImportedDataset(TypedDict):
    """Result of an import for one dataset."""
    changed: int
    """Number of tasks that are new or differ from the previous version."""
    chinese: int
    """Number of tasks in Chinese."""
    english: int
    """Number of tasks in English."""
    new: bool
    """Whether the import created this version; otherwise nothing had changed."""
    number: int
    """Newest version after the import."""
    slug: str
    """Short name of the dataset."""
    tasks: int
    """Number of tasks."""

InboxAct: TypeAlias = "Literal['resolve', 'add_rater', 'restart', 'admit', 'resume', 'retry', 'dismiss']"
"""An act on items."""


class InboxCount(TypedDict):
    """How many items wait."""
    kind: InboxKind
    waiting: int


class InboxDone(TypedDict):
    """The result of a request."""
    done: int
    """Number of items that were dealt with."""
    gone: int
    """Items that did not wait any more: another admin was faster, or their cause has gone."""
    refused: int
    """Items for which this cannot be done."""
    undo: NotRequired[int | None]
    """The number by which what is not carried out yet can be undone."""


class InboxItemFlagValue(TypedDict):
    """A flag."""
    comment: str
    """The rater's comment on the output."""
    flag: RaterFlag
    nl_lang: Lang
    on: FlagOn
    """The flagged object."""
    rater: str
    """The name of the rater."""
    raw_nl: str
    """Start of the description."""
    task_id: str
    """The task's `task_id`."""


class InboxItemFlag(TypedDict):
    """A flag."""
    flag: InboxItemFlagValue
    """A flag."""


class InboxItemDisagreementValue(TypedDict):
    """A disagreement."""
    nl_lang: Lang
    raw_nl: str
    """Start of the description."""
    spread: int
    """The widest spread."""
    task_id: str
    """The task's `task_id`."""
    token: NotRequired[Token | None]


class InboxItemDisagreement(TypedDict):
    """A disagreement."""
    disagreement: InboxItemDisagreementValue
    """A disagreement."""


class InboxItemRaterValue(TypedDict):
    """A rater: how many of how many ratings were too fast, or hidden checks missed."""
    count: int
    name: str
    """Their name."""
    of: int
    paused: bool
    """Whether the rater is paused."""
    rater: UserId
    seconds: int
    """The minimum time that the ratings did not keep, in seconds."""


class InboxItemRater(TypedDict):
    """A rater: how many of how many ratings were too fast, or hidden checks missed."""
    rater: InboxItemRaterValue
    """A rater: how many of how many ratings were too fast, or hidden checks missed."""


class InboxItemPlanValue(TypedDict):
    """A study's plan."""
    inactive: list[str]
    """Names of deactivated raters with remaining work."""
    status: StudyStatus
    unassigned: int
    """Planned ratings without a rater."""


class InboxItemPlan(TypedDict):
    """A study's plan."""
    plan: InboxItemPlanValue
    """A study's plan."""


class InboxItemRunValue(TypedDict):
    """A run."""
    dataset: str
    errors: int
    """Outputs with engine errors."""
    fault: NotRequired[Fault | None]
    run: RunId


class InboxItemRun(TypedDict):
    """A run."""
    run: InboxItemRunValue
    """A run."""


class InboxItemDeliveryValue(TypedDict):
    """A webhook delivery."""
    attempts: int
    error: NotRequired[RequestFault | None]
    status: NotRequired[int | None]
    """HTTP status of the last response."""
    url: str
    """Its address."""
    webhook: WebhookId


class InboxItemDelivery(TypedDict):
    """A webhook delivery."""
    delivery: InboxItemDeliveryValue
    """A webhook delivery."""


class InboxItemRoutineValue(TypedDict):
    """What the server does for itself every day."""
    failures: int
    """Attempts that failed since the last one that succeeded."""
    succeeded_at: NotRequired[Timestamp | None]
    why: RoutineFault
    """Why the last one failed."""


class InboxItemRoutine(TypedDict):
    """What the server does for itself every day."""
    routine: InboxItemRoutineValue
    """What the server does for itself every day."""

InboxItem: TypeAlias = """(
    InboxItemFlag
    | InboxItemDisagreement
    | InboxItemRater
    | InboxItemPlan
    | InboxItemRun
    | InboxItemDelivery
    | InboxItemRoutine
)"""
"""The subject of an item."""

InboxKind: TypeAlias = """(
    Literal['flag', 'disagreement', 'calibration', 'pace', 'checks', 'plan', 'run', 'engine', 'delivery', 'backup',
    'integrity']
)"""
"""The kinds of items."""


class InboxRequest(TypedDict):
    """Request to do something with items."""
    act: InboxAct
    """The act."""
    items: list[int]
    """The items' numbers, 1 to [`ITEMS_MOST`]."""


class InboxRow(TypedDict):
    """Something that waits for an admin."""
    id: int
    """Its number. What waits again later keeps it."""
    item: InboxItem
    """The subject."""
    kind: InboxKind
    since: Timestamp
    """Since when it has been waiting."""
    study: NotRequired[StudyId | None]
    title: NotRequired[str | None]
    """The study's title."""


class InputProblem(TypedDict):
    """One problem of a file or a form."""
    file: str
    """The name of the file or of the form field; empty if there is only one."""
    line: NotRequired[int | None]
    """The line, counted from 1; absent for a problem with the whole file."""
    page: NotRequired[str | None]
    """Address of the page that accepts the file, if another one does."""
    remedy: str
    """How to fix it, as a sentence without its full stop."""
    what: str
    """The problem, as a sentence without its full stop."""
    zh: NotRequired[ProblemZh | None]


class InstructionAnswer(TypedDict):
    """The answer to the question whether an output follows an instruction of its conversation. Files have it as
    `TURN:ANSWER`, with 1 for yes and 0 for no.
    """
    follows: bool
    turn: int
    """The turn of the instruction."""

InstructionKind: TypeAlias = """(
    Literal['base', 'input_output', 'exception_handling', 'edge_case', 'functionality_extension',
    'annotation_coverage', 'code_complexity', 'code_standard', 'context_usage', 'context_usage_correctness']
)"""
"""What an instruction asks for."""


class Interval(TypedDict):
    """A 95 % interval."""
    high: float
    low: float


class Invitation(TypedDict):
    """A link with which one person creates an account."""
    created_at: Timestamp
    expires_at: Timestamp
    group: NotRequired[GroupName | None]
    id: int
    """The invitation's id, for revoking it."""
    label: str
    """A label for the admin: for whom it is."""
    mail: NotRequired[InvitationMail | None]
    open: bool
    """Whether it is still valid."""
    role: Role
    """The role of the new account."""
    study: NotRequired[InvitedStudy | None]
    used_by: NotRequired[str | None]
    """The person who used it, if anybody."""


class InvitationMail(TypedDict):
    """The newest message of an invitation."""
    error: NotRequired[MailFault | None]
    state: MailState


class InvitationPath(TypedDict):
    """A new invitation."""
    path: str
    """Path of the link on this server. It can be used once and is not shown again."""


class InvitedStudy(TypedDict):
    """The study of an invitation."""
    id: StudyId
    title: str


class ItemDetail(TypedDict):
    """One output of a run with all details."""
    code: str
    """The model's own text."""
    code_lang: CodeLang
    """The programming language asked for."""
    dataset: str
    """Short name of the dataset."""
    fault: NotRequired[Fault | None]
    listing: list[SourceLine]
    """The compiled source next to the model's text; empty if there is none."""
    mixed: bool
    """Whether it was run with another engine, Java build or limits than the run's conditions."""
    model_name: str
    """Its model."""
    next: NotRequired[Neighbor | None]
    outcome: NotRequired[Outcome | None]
    previous: NotRequired[Neighbor | None]
    raw_nl: str
    """The task's whole description."""
    row: ItemRow
    run: RunId
    """The run."""
    signature: NotRequired[str | None]
    submission: SubmissionId
    """Its submission."""
    text: list[Line]
    """The original code as highlighted lines."""


class ItemRow(TypedDict):
    """One output of a run in a list."""
    cached: bool
    """Whether the result came from the cache."""
    cpu_ms: int
    """CPU time in milliseconds."""
    flags: int
    """Number of warnings."""
    limit: NotRequired[LimitHit | None]
    output: OutputId
    """The output."""
    passed: int
    """Test cases passed."""
    published: NotRequired[PublishedVerdict | None]
    raw_nl: str
    """The beginning of the description, with a mark if it is cut."""
    reason: NotRequired[Reason | None]
    sample: int
    """The sample, from 0."""
    state: ItemState
    task_id: str
    """The task's external id."""
    theirs: NotRequired[bool | None]
    """Whether it passes by the verdict that came with it, if one did."""
    total: int
    """Test cases."""
    verdict: NotRequired[Verdict | None]
    wall_ms: int
    """Wall time in milliseconds."""

ItemState: TypeAlias = "Literal['waiting', 'leased', 'done', 'failed']"
"""The state of one output of a run."""


class Judge(TypedDict):
    """A judge model compared with people over the outputs that both scored."""
    both: int
    """Number of these that people also rated. Every figure is over these."""
    dimensions: list[JudgeDimension]
    """One entry per dimension."""
    instructions: NotRequired[list[JudgeInstructions]]
    """The answers about instructions, one entry per kind of instruction that both answered."""
    name: str
    """Name of the judge."""
    outputs: int
    """Outputs of the compared models that the judge scored."""


class JudgeDimension(TypedDict):
    """A judge on one dimension."""
    agreement: Reliability
    """Agreement over all pairs of the judge's score and one person's; `kappas` has the judge with each rater, as the
    rater after the last.
    """
    confusion: list[list[int]]
    """Number of pairs of a person's score and the judge's: a row for each score of a person, a column for each of the
    judge, both from the lowest.
    """
    correlation: Correlation
    """Correlation of the judge's score and the mean of people's scores."""
    length: FigureEstimate
    """Spearman's rho of the judge's score minus the mean of people's and the length of the code."""
    means: list[JudgeMeans]
    """One entry per model."""
    replacement: FigureAltTest
    """Whether the judge may replace a rater."""


class JudgeInstructions(TypedDict):
    """A judge's answers about one kind of instruction, with yes = 1 and no = 0."""
    figures: JudgeDimension
    """The figures of a dimension, over the instructions of outputs in place of outputs."""
    kind: InstructionKind


class JudgeMeans(TypedDict):
    """Mean scores of one model's outputs that both scored."""
    bias: FigureEstimate
    """The judge's score minus the mean of people's: the mean over tasks of the mean over outputs."""
    judge: NotRequired[float | None]
    """The judge's mean score; `None` without outputs."""
    outputs: int
    """Number of outputs, or of their instructions."""
    people: NotRequired[float | None]
    """Mean of people's mean scores; `None` without outputs."""


class JudgedOutput(TypedDict):
    """An output that a judge model grades. The judge does not see the model's name."""
    id: OutputId
    model: str
    """The name of its model."""
    sample: int
    """Its sample, from 0."""


class JudgingFacts(TypedDict):
    """What a collection that is a judging has besides."""
    dimensions: list[str]
    """The keys of the rubric's dimensions, in the order of scores."""
    instructions: bool
    """Whether it asks which instructions of a conversation an output follows."""
    invalid: int
    """Requests that were answered without valid scores, although asked once more."""
    lang: Lang
    """The language of its prompts."""
    level_order: LevelOrder
    outputs: int
    """Number of outputs."""
    rubric: str
    """The rubric with its version, such as `aixbench 1`."""
    scored: int
    """Outputs with at least one valid answer so far."""
    study: NotRequired[StudyId | None]


class Kappa(TypedDict):
    """Quadratic-weighted Cohen's kappa of two raters."""
    first: int
    """Index of the first rater."""
    kappa: FigureEstimate
    """The coefficient."""
    outputs: int
    """Number of outputs that both rated."""
    second: int
    """Index of the second rater."""


class KnownItem(TypedDict):
    """A known-score item: code for a task, with known scores."""
    asked: int
    """Number of ratings."""
    code: CodeView
    deactivated: bool
    """Whether it is no longer shown to raters."""
    graded: bool
    """Whether the study grades the output itself. Its raters never get it as an item, and nobody does while a rating of
    it is missing.
    """
    id: int
    nl_lang: Lang
    pasted: bool
    """Whether its code was pasted; otherwise it comes from a submission."""
    pool: Pool
    """Where it is used."""
    raw_nl: str
    reasons: list[Bilingual]
    """The reasons, one per dimension; may be empty."""
    right: int
    """Number of ratings within the tolerance on every dimension."""
    scores: list[int]
    """The known scores, one per dimension."""
    task_id: str
    """The task's `task_id`."""
    used: bool
    """Whether a rater has had it; it can then be deactivated, but not removed."""


class KnownItemChange(TypedDict):
    """A change of a known-score item. Absent fields stay."""
    deactivated: NotRequired[bool | None]
    """Whether it is deactivated."""
    pool: NotRequired[Pool | None]


class KnownItemChoices(TypedDict):
    """Outputs and tasks from which known-score items can be made."""
    outputs: list[list[int | str]]
    """Outputs that the study does not grade: output, `task_id`, model, sample."""
    tasks: list[list[int | str]]
    """Tasks to paste code for: revision, `task_id`, start of the description."""


class KnownItemFile(TypedDict):
    """Known-score items, as in a file."""
    items: list[KnownItemRecord]
    """The items, 1 to 1,000."""


class KnownItemProposal(TypedDict):
    """An output that the study grades, as a new known-score item."""
    decision: NotRequired[str | None]
    """The reason of its adjudication; absent if the scores are the median of the ratings."""
    missing: int
    """Ratings that are still missing."""
    model: str
    nl_lang: Lang
    output: OutputId
    ratings: int
    """Number of ratings."""
    raw_nl: str
    """Start of the description."""
    scores: list[int | None]
    """The final scores; absent on a dimension on which the median of the ratings is between two levels."""
    task_id: str
    """The task's `task_id`."""


class KnownItemRecord(TypedDict):
    """A known-score item in a file (docs/formats.md), for studies of the same dataset."""
    code: str
    pool: NotRequired[Pool]
    """Where it is used."""
    reasons: NotRequired[list[Bilingual]]
    """The reasons, one per dimension; may be empty."""
    scores: list[int]
    """The known scores, one per dimension."""
    surrounding_text: NotRequired[str]
    """The text around the code, as in a chat response."""
    task_id: str
    """The task's `task_id`."""


class KnownItemSourceOutput(TypedDict):
    """An output for the study's dataset. If the study grades it, it must have a rating."""
    Output: OutputId
    """An output for the study's dataset. If the study grades it, it must have a rating."""


class KnownItemSourcePastedValue(TypedDict):
    """Code pasted for a task of the study's dataset, with the text around it, as in a chat response. A hidden check
    needs such text if all outputs of the study have some, and must have none if none of them has.
    """
    code: str
    surrounding_text: NotRequired[str]
    task: TaskRevisionId


class KnownItemSourcePasted(TypedDict):
    """Code pasted for a task of the study's dataset, with the text around it, as in a chat response. A hidden check
    needs such text if all outputs of the study have some, and must have none if none of them has.
    """
    Pasted: KnownItemSourcePastedValue
    """Code pasted for a task of the study's dataset, with the text around it, as in a chat response. A hidden check
    needs such text if all outputs of the study have some, and must have none if none of them has.
    """

KnownItemSource: TypeAlias = "KnownItemSourceOutput | KnownItemSourcePasted"
"""Source of a known-score item's code."""

Lang: TypeAlias = "Literal['en', 'zh']"
"""A natural language."""


class LanguageCell(TypedDict):
    """A model's newest run in one language."""
    answered: int
    """How many of these have a verdict; the others count as not solved."""
    failures: list[list[FailureClass | int]]
    """Number of outputs per class of failure as published, only those that occur."""
    outputs: int
    """Number of outputs with a verdict."""
    pass_at: list[PassAtK]
    """Guarded `pass@k`: k = 1, 10 and 100 as far as there are samples, or every k below ten samples."""
    published: NotRequired[AsPublished | None]
    published_pass_at: list[PassAtK]
    """`pass@k` as published."""
    run: RunId
    tasks: int
    """Number of tasks of the dataset's version."""
    verdicts: list[list[Verdict | int]]
    """Number of outputs per guarded verdict, only those that occur."""


class LanguageDataset(TypedDict):
    """A dataset of HumanEval-X."""
    lang: CodeLang
    """The language of the outputs."""
    slug: str
    """Its short name."""
    source: NotRequired[CodeLang | None]


class LanguageResults(TypedDict):
    """Every model's results in every language."""
    datasets: list[LanguageDataset]
    """The datasets: code generation by language, then translation by pair of languages."""
    models: list[ModelLanguages]
    """The models with a run, by name."""


class Languages(TypedDict):
    """Languages that a person reads."""
    reads: Reads
    """`en`, `zh` or `en zh`."""


class LeaderboardRow(TypedDict):
    """A figure of the leaderboard's column L-1 with its arithmetic."""
    function: list[int]
    """Answers that pass, and judged answers, at function level."""
    model: ModelId
    name: str
    """Its name."""
    published: float
    """The figure as printed: the published report counts the answers of repository level 1 without the first of each of
    seven kinds, except for the base prompt.
    """
    repository: list[int]
    """The same at repository level 1."""
    value: float
    """The share of all answers."""
    way: Way


class Lease(TypedDict):
    """An output that a rater is working on."""
    model: str
    """Its model."""
    rater: str
    since: NotRequired[Timestamp | None]
    task: TaskId
    """Its task."""
    task_id: str
    """The task's external id."""
    until: Timestamp
    """When the lease expires without activity."""


class Level(TypedDict):
    """One level of a scale."""
    label: NotRequired[Bilingual]
    """One to three words; empty in a rubric read from an AixBench checkout, which has none."""
    score: int
    """The score that is stored."""
    text: Bilingual
    """The level's meaning."""

LevelOrder: TypeAlias = "Literal['best_first', 'worst_first', 'drawn']"
"""The order in which a prompt lists the levels of every dimension."""

LimitAction: TypeAlias = "Literal['note', 'warn', 'pause']"
"""The consequence of exceeding a limit of the study."""

LimitHit: TypeAlias = "Literal['cpu', 'wait', 'heap', 'threads', 'printed', 'stack', 'steps']"
"""The limit that an output exceeded."""

Line: TypeAlias = "list[CodeRun]"
"""One line, as highlighted runs of text; joined, they are the line without its line break, with hidden characters as
[`visible`] shows them.
"""


class LineNote(TypedDict):
    """A note at one position. Without line breaks and never blank."""
    column: int
    """The character in the line."""
    line: int
    """The line."""
    text: str
    """Its text."""


class ListedRating(TypedDict):
    """A rating in the list."""
    active_ms: NotRequired[int | None]
    """Active time in milliseconds, if measured."""
    at: Timestamp
    comment: str
    flag: NotRequired[RaterFlag | None]
    has_disagreement: bool
    """Whether the output has a disagreement."""
    id: int
    """Number of the rating; later ones have higher numbers."""
    model: str
    nl_lang: Lang
    output: OutputId
    rater: str
    raw_nl: str
    """Start of the description."""
    scores: list[int]
    task: TaskId
    task_id: str
    """The task's external id."""


class Live(TypedDict):
    """Live status of a study."""
    agreement: list[Agreement]
    """Agreement of all raters on each dimension."""
    dimensions: list[Bilingual]
    """Names of the dimensions, in the rubric's order."""
    disagreements: int
    """Disagreements waiting for an adjudicator."""
    done: int
    """Ratings submitted."""
    extra: int
    """Extra ratings among those needed."""
    extra_waiting: int
    """Disagreements waiting for an extra rater."""
    flags: int
    """Open flags."""
    leases: list[Lease]
    """Outputs that raters are working on."""
    models: list[LiveModel]
    projection: NotRequired[Projection | None]
    raters: list[LiveRater]
    status: StudyStatus
    """Whether the study accepts ratings."""
    stopped: int
    """Raters who failed the calibration."""
    study: StudyId
    wanted: int
    """Ratings needed, extra ratings included."""


class LiveModel(TypedDict):
    """Live status of a model."""
    done: int
    """Ratings submitted."""
    id: int
    """Id, for links."""
    name: str
    wanted: int
    """Ratings needed."""


class LiveRater(TypedDict):
    """Live status of a rater."""
    figures: RaterFigures
    id: UserId
    last_at: NotRequired[Timestamp | None]
    leased: int
    """Outputs that the rater is working on."""
    median_ms: NotRequired[int | None]
    """Median time from display to rating, in milliseconds."""
    name: str
    rated: int
    """Outputs rated."""
    skipped: int
    """Skipped outputs that are not rated."""

Made: TypeAlias = "Literal['by_owner', 'at_first_login', 'by_link', 'reset', 'by_single_sign_on']"
"""How a password or an account came into being."""


class MailFaultNameNotFound(TypedDict):
    """The name of the SMTP server has no address."""
    code: Literal['name_not_found']
    detail: str
    """The message of the operating system."""
    host: str
    """The name."""


class MailFaultConnection(TypedDict):
    """There was no connection, or it broke."""
    code: Literal['connection']
    detail: str
    """The message of the operating system or the library."""


class MailFaultTls(TypedDict):
    """TLS failed, such as by a certificate that is not trusted."""
    code: Literal['tls']
    detail: str
    """The message of the library."""


class MailFaultNoStartTls(TypedDict):
    """The SMTP server does not offer STARTTLS."""
    code: Literal['no_start_tls']


class MailFaultNoLogIn(TypedDict):
    """The SMTP server offers no way to log in with a password."""
    code: Literal['no_log_in']


class MailFaultRefused(TypedDict):
    """The SMTP server refused a step."""
    code: Literal['refused']
    detail: str
    """The server's message."""
    status: int
    """The reply's code."""
    step: MailStep
    """The step."""


class MailFaultTimeout(TypedDict):
    """The SMTP server did not answer in time."""
    code: Literal['timeout']
    seconds: int
    """How long the server waited."""


class MailFaultNotSent(TypedDict):
    """The message could not be written, such as for an address that email cannot have."""
    code: Literal['not_sent']
    detail: str
    """The message of the library."""


class MailFaultStopped(TypedDict):
    """The recipient wants no email from this server."""
    code: Literal['stopped']

MailFault: TypeAlias = """(
    MailFaultNameNotFound
    | MailFaultConnection
    | MailFaultTls
    | MailFaultNoStartTls
    | MailFaultNoLogIn
    | MailFaultRefused
    | MailFaultTimeout
    | MailFaultNotSent
    | MailFaultStopped
)"""
"""Why a message could not be sent by email."""

MailState: TypeAlias = "Literal['waiting', 'sent', 'failed', 'withdrawn']"
"""Whether a message has arrived at the SMTP server."""

MailStep: TypeAlias = "Literal['greeting', 'log_in', 'sender', 'recipient', 'message']"
"""A step of sending a message."""


class MaskState(TypedDict):
    """The masking of a submission."""
    identity_leak_count: int
    """Number of outputs with a leak."""
    identity_leaks: list[IdentityLeak]
    """Identity leaks, at most [`PREVIEW_LIST`]."""
    masked: NotRequired[list[str | int | None] | None]
    """The person who masked names, and the time; absent without masking. The name is absent for the command line."""
    names: list[str]
    """The names that are or would be masked and occur in the outputs."""
    unread: bool
    """Whether the outputs were not searched, because there are many."""


class Match(TypedDict):
    """Agreement of a rater's scores with reference scores."""
    alpha: list[float | None]
    """Krippendorff's ordinal alpha on each dimension; `None` if undefined."""
    difference: list[float | None]
    """Mean difference on each dimension in levels, rater minus reference."""
    exact: NotRequired[float | None]
    """Share of equal pairs, 0 to 1; `None` without pairs."""
    outputs: int
    """Number of outputs compared."""
    pairs: int
    """Number of pairs of scores."""
    within_one: NotRequired[float | None]
    """Share of pairs at most one level apart, 0 to 1; `None` without pairs."""

Matching: TypeAlias = "Literal['auto', 'task_id', 'description']"
"""How lines are matched to tasks."""


class Measured(TypedDict):
    """Values of one kind for one model."""
    answered: int
    """How many of these have a verdict; the others count as not solved."""
    at: NotRequired[Timestamp | None]
    missing: NotRequired[int | None]
    """Outputs without a verdict, because the engine failed on them or has yet to run them; `None` for ratings and for a
    slice of tasks.
    """
    ratings: int
    """Ratings behind them; 0 for tests."""
    run: NotRequired[RunId | None]
    tasks: int
    """Tasks behind them."""
    values: list[Estimated | None]
    """One entry per column; `None` where the value is undefined."""


class Member(TypedDict):
    """Somebody in a group."""
    disabled: bool
    """Whether the account is deactivated. Its owner is in no choice of raters."""
    id: UserId
    name: str
    """The username."""


class MemberChange(TypedDict):
    """A change of a group's members."""
    add: NotRequired[list[UserId]]
    """People to add."""
    remove: NotRequired[list[UserId]]
    """People to remove."""

Method: TypeAlias = "Literal['exact', 'normal', 'monte_carlo']"
"""How a p-value was computed."""


class Metrics(TypedDict):
    """The figures of one run. All cover every task of the dataset that has tests."""
    answered: int
    """Tasks with at least one verdict; the others count 0."""
    not_counted: NotRequired[int]
    """Outputs that count in none of these figures, because a defect of the benchmark's data prevents a verdict. Tasks
    with only such outputs do not count either.
    """
    pass_at_1: float
    """Share of tasks solved, unbiased for several samples: `pass@1`."""
    ratio_mean: float
    """The same divided by the number of tasks: `AvgPassRatio`."""
    ratio_mean_clamped: float
    """The mean with no ratio counting for more than 1."""
    ratio_sum: float
    """Sum of the tasks' pass ratios, as reported by the tests."""
    ratio_sum_clamped: float
    """The sum with no ratio counting for more than 1."""
    solved: int
    """Tasks whose first sample passed every case."""
    tasks: int
    """Tasks of the dataset that have tests."""


class ModelConversations(TypedDict):
    """A model's results."""
    conversation: NotRequired[ConversationFigures | None]
    dynamic: NotRequired[DynamicFigures | None]
    model: ModelId
    name: str
    """Its name."""
    ways: list[WayResults]
    """The ways with results, in the benchmark's order."""


class ModelDataset(TypedDict):
    """A model on one dataset."""
    baseline: NotRequired[BoardResults | None]
    dataset: BoardDataset
    differences: list[Versus | None]
    """Differences from the baseline, model minus baseline: one entry per dimension, then pass@1; empty without a
    baseline.
    """
    history: list[HistoryRun]
    """Runs of these submissions that have results, oldest first."""
    older_runs: int
    """Runs beyond [`ModelResults::HISTORY`], which have no figures here."""
    own: BoardResults
    submissions: list[ModelSubmission]
    """The model's submissions, newest first."""

ModelId: TypeAlias = "int"
"""A system under comparison."""


class ModelLanguages(TypedDict):
    """A model's results."""
    cells: list[LanguageCell | None]
    """One entry for each of [`LanguageResults::datasets`]; absent without a run."""
    model: ModelId
    name: str
    """Its name."""


class ModelResults(TypedDict):
    """Everything about one model."""
    baseline: NotRequired[list[int | str] | None]
    """The model that it is compared with, if one was chosen."""
    datasets: list[ModelDataset]
    """Datasets that the model has outputs for."""
    model: ModelId
    name: str
    others: list[list[int | str]]
    """Models with outputs for any of the same datasets: possible baselines."""
    page: DatasetPage
    """Which of them these are."""


class ModelScores(TypedDict):
    """One model's scores."""
    dimensions: list[DimensionScores]
    model: str
    ratings: int
    """Ratings that count; replaced ratings do not."""
    tasks: int
    """Tasks with at least one of these ratings."""


class ModelSubmission(TypedDict):
    """One upload of a model's outputs."""
    at: Timestamp
    file: str
    """Name of the file."""
    id: SubmissionId
    outputs: int
    """Number of outputs."""
    runs: list[list[int | RunStatus]]
    """Its runs, newest first."""
    studies: list[list[int | str]]
    """Studies that include it, newest first."""
    version: int
    """The dataset's version that it answers."""


class NamedGroup(TypedDict):
    """The name of a group."""
    name: str
    """1 to 60 characters; no two groups have the same name."""


class Neighbor(TypedDict):
    """A neighbouring output in a run."""
    output: OutputId
    """The output."""
    task_id: str
    """The task's external id."""


class NewAnnouncement(TypedDict):
    """A new announcement."""
    allow_names: NotRequired[bool]
    """Publishes it although it names a model, which raters must not connect with an output."""
    last_day: NotRequired[str | None]
    """The last day on which it is shown, in UTC. Without one, it is shown until people have read it."""
    text: Bilingual
    """Plain text, up to 2,000 characters in each language; people read the other language where one is empty."""
    to: str
    """`everyone`, `study 3` (its raters), `group 2` or `account 5`."""


class NewCollection(TypedDict):
    """Request for a new collection."""
    dataset: str
    """Short name of the dataset; its newest version is used."""
    endpoint: str
    """Name of the endpoint."""
    endpoint_model: NotRequired[str]
    """The model's name at the endpoint; empty if it is `model`."""
    model: str
    """The model's name, as shown in tables."""
    settings: NotRequired[CollectionSettings]
    tasks: NotRequired[list[str]]
    """External IDs of the tasks; empty for all."""


class NewDecision(TypedDict):
    """An adjudication."""
    comment: NotRequired[str]
    """Reason."""
    scores: list[int]
    """One score for each dimension of the disagreement's rubric, the items for its instructions included: 1 if the
    output follows the instruction, otherwise 0.
    """
    seen: NotRequired[int | None]
    """`adjudicated_at` of the adjudication that you saw, 0 for none: refused if somebody has adjudicated it since.
    Absent to replace whatever there is.
    """


class NewInvitation(TypedDict):
    """Request for an invitation."""
    days: NotRequired[int]
    """Lifetime in days, 1 to 90."""
    group: NotRequired[GroupId | None]
    label: NotRequired[str]
    """Label, visible only to admins."""
    role: Role
    """Role of the new account."""
    send: NotRequired[bool]
    """Whether to send the link to the email address in the label, such as `Dora <dora@example.org>`. Refused if the
    operator has named no SMTP server.
    """
    study: NotRequired[StudyId | None]


class NewJudging(TypedDict):
    """Request for a new judging: of a study's outputs with its rubric, or of a submission's outputs."""
    endpoint: str
    """Name of the endpoint."""
    endpoint_model: NotRequired[str]
    """What the endpoint calls the model; empty if that is `judge`."""
    judge: str
    """The judge model's name, as shown in comparisons; new to the dataset."""
    lang: NotRequired[Lang]
    """The language of the prompt and of the rubric in it."""
    level_order: NotRequired[LevelOrder]
    rubric: NotRequired[str]
    """With a submission: the rubric's short name, with a version for another than the newest (`aixbench 1`); empty for
    the dataset's.
    """
    settings: NotRequired[CollectionSettings]
    """How requests are made. `samples` are answers per output; `system` and `template` stay empty, because a judging
    has its own.
    """
    study: NotRequired[StudyId | None]
    submission: NotRequired[SubmissionId | None]
    tasks: NotRequired[list[str]]
    """External IDs of the tasks; empty for all."""


class NewKnownItem(TypedDict):
    """A new known-score item."""
    pool: NotRequired[Pool]
    """Where it is used."""
    reasons: NotRequired[list[Bilingual]]
    """The reasons, one per dimension; may be empty. An output that the study grades needs at least one."""
    scores: NotRequired[list[int]]
    """The known scores, one per dimension. Empty for the final scores of an output that the study grades."""
    source: KnownItemSource
    """Source of the code."""


class NewPublicLink(TypedDict):
    """Request for a new public link."""
    about: NotRequired[Publication]
    code: NotRequired[bool]
    """Whether the page shows tasks and the models' code."""
    days: NotRequired[int | None]
    """Lifetime in days, 1 to 3650; `None` for no expiry."""


class NewRater(TypedDict):
    """Request to add a rater to a study."""
    share: NotRequired[int | None]
    """Maximum share, if shares are set manually: outputs, or tasks in side-by-side studies.
    """
    user: UserId
    """The person."""


class NewRun(TypedDict):
    """A run to start."""
    dates: NotRequired[Dates | None]
    fast: NotRequired[bool]
    """Whether outputs without visible side effects share a JVM."""
    fresh: NotRequired[bool]
    """Whether to ignore cached results, so that everything runs."""
    like: NotRequired[RunId | None]
    profile: NotRequired[TestProfile | None]
    submission: SubmissionId
    """ID of the submission."""


class NewStudy(TypedDict):
    """Request for a new study."""
    break_minutes: NotRequired[int]
    """Minutes of work without a pause after which raters read that a break helps; 0 for never. At most [`BREAK_MOST`].
    """
    calibration: NotRequired[CalibrationMode]
    """How known-score items open the study."""
    due: NotRequired[Day | None]
    fast_limit: NotRequired[int]
    """Number of items below the minimum time in a window that exceeds the limit."""
    known_item_every: NotRequired[int]
    """Insert a hidden check with known scores about every N outputs; 0 for none, otherwise at least 2."""
    limit_action: NotRequired[LimitAction]
    """The consequence of exceeding a limit."""
    limit_window: NotRequired[int]
    """Length of a window, in items that the rater rated. Limits are checked at its end only, so the moment says nothing
    about a single item.
    """
    min_seconds: NotRequired[int]
    """Minimum time for an item, in seconds; 0 for no limit. Items are outputs and hidden checks alike."""
    missed_limit: NotRequired[int]
    """Number of missed hidden known-score items in a window that exceeds the limit, at least 2; 0 for no limit."""
    needed: NotRequired[int]
    """With `must_pass`, the number of items that must be correct on every dimension; otherwise 0."""
    policy: NotRequired[Policy]
    """How disagreements are resolved."""
    repeat_apart: NotRequired[int]
    """Minimum number of outputs between an output and its repeat."""
    repeat_every: NotRequired[int]
    """Repeat an output that the rater has rated before about every N outputs; 0 for none, otherwise at least 2."""
    shown: NotRequired[FeedbackLevel]
    """The figures about themselves that raters see."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of an output on a dimension that is not a disagreement; `None` for no
    limit.
    """
    spread_correctness: NotRequired[int | None]
    """Overrides `spread` for correctness."""
    tolerance: NotRequired[int]
    """How many levels a score may differ from the known score on each dimension and still be correct; 0 is exact.
    """
    answers: NotRequired[RatedAnswers]
    """Which answers of a conversation are rated."""
    pace_s: NotRequired[int | None]
    """Expected seconds per rating, at least 1; `None` to use the measured value."""
    presentation: NotRequired[Presentation]
    """How outputs are shown to raters."""
    raters_per_output: NotRequired[int]
    """Raters per output, 1 to the number of raters."""
    sharing: NotRequired[Sharing]
    """How the work is shared."""
    tasks: NotRequired[int | None]
    """Limits the number of tasks, for a pilot; `None` for all."""
    dataset: str
    """Short name of the dataset; its newest version with these submissions is used."""
    draft: NotRequired[bool]
    """Whether to create a draft, so that the plan can be reviewed before the start."""
    raters: NotRequired[list[UserId]]
    """The raters."""
    rubric: NotRequired[str | None]
    """The rubric by its name, such as `aixbench 1`, or `aixbench` for the newest version; `None` for the dataset's
    default.
    """
    seed: NotRequired[int | None]
    """Seed of the order; `None` to draw and record one."""
    shares: NotRequired[list[int]]
    """For shares set by hand: the maximum for each of `raters`, in order."""
    submissions: NotRequired[list[SubmissionId]]
    """Submissions to grade: at least one, all for the same dataset version."""
    title: str
    """Title shown to raters."""


class NewStudyPatch(TypedDict):
    """Request for a new study."""
    break_minutes: NotRequired[int]
    """Minutes of work without a pause after which raters read that a break helps; 0 for never. At most [`BREAK_MOST`].
    """
    calibration: NotRequired[CalibrationMode]
    """How known-score items open the study."""
    due: NotRequired[Day | None]
    fast_limit: NotRequired[int]
    """Number of items below the minimum time in a window that exceeds the limit."""
    known_item_every: NotRequired[int]
    """Insert a hidden check with known scores about every N outputs; 0 for none, otherwise at least 2."""
    limit_action: NotRequired[LimitAction]
    """The consequence of exceeding a limit."""
    limit_window: NotRequired[int]
    """Length of a window, in items that the rater rated. Limits are checked at its end only, so the moment says nothing
    about a single item.
    """
    min_seconds: NotRequired[int]
    """Minimum time for an item, in seconds; 0 for no limit. Items are outputs and hidden checks alike."""
    missed_limit: NotRequired[int]
    """Number of missed hidden known-score items in a window that exceeds the limit, at least 2; 0 for no limit."""
    needed: NotRequired[int]
    """With `must_pass`, the number of items that must be correct on every dimension; otherwise 0."""
    policy: NotRequired[Policy]
    """How disagreements are resolved."""
    repeat_apart: NotRequired[int]
    """Minimum number of outputs between an output and its repeat."""
    repeat_every: NotRequired[int]
    """Repeat an output that the rater has rated before about every N outputs; 0 for none, otherwise at least 2."""
    shown: NotRequired[FeedbackLevel]
    """The figures about themselves that raters see."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of an output on a dimension that is not a disagreement; `None` for no
    limit.
    """
    spread_correctness: NotRequired[int | None]
    """Overrides `spread` for correctness."""
    tolerance: NotRequired[int]
    """How many levels a score may differ from the known score on each dimension and still be correct; 0 is exact.
    """
    answers: NotRequired[RatedAnswers]
    """Which answers of a conversation are rated."""
    pace_s: NotRequired[int | None]
    """Expected seconds per rating, at least 1; `None` to use the measured value."""
    presentation: NotRequired[Presentation]
    """How outputs are shown to raters."""
    raters_per_output: NotRequired[int]
    """Raters per output, 1 to the number of raters."""
    sharing: NotRequired[Sharing]
    """How the work is shared."""
    tasks: NotRequired[int | None]
    """Limits the number of tasks, for a pilot; `None` for all."""
    dataset: NotRequired[str]
    """Short name of the dataset; its newest version with these submissions is used."""
    draft: NotRequired[bool]
    """Whether to create a draft, so that the plan can be reviewed before the start."""
    raters: NotRequired[list[UserId]]
    """The raters."""
    rubric: NotRequired[str | None]
    """The rubric by its name, such as `aixbench 1`, or `aixbench` for the newest version; `None` for the dataset's
    default.
    """
    seed: NotRequired[int | None]
    """Seed of the order; `None` to draw and record one."""
    shares: NotRequired[list[int]]
    """For shares set by hand: the maximum for each of `raters`, in order."""
    submissions: NotRequired[list[SubmissionId]]
    """Submissions to grade: at least one, all for the same dataset version."""
    title: NotRequired[str]
    """Title shown to raters."""


class NewSubmission(TypedDict):
    """Request to import an upload."""
    dataset: str
    """Short name of the dataset; its newest version is used."""
    good_lines_only: NotRequired[bool]
    """Whether invalid lines are left out; otherwise nothing of a file with an invalid line is imported. Tasks without
    an output count as failed in every figure of tests, such as AvgPassRatio.
    """
    matching: NotRequired[Matching]
    """How lines are matched to tasks."""
    model: str
    """Name of the model, as shown in tables."""
    upload: UploadId
    """ID of the upload."""


class NewToken(TypedDict):
    """Request for a new token."""
    days: NotRequired[int]
    """Lifetime in days, 1 to 365."""
    label: str
    """Label, 1 to 100 characters."""
    scopes: NotRequired[list[Scope]]
    """At least one scope."""


class NewWebhook(TypedDict):
    """Request for a new webhook."""
    events: NotRequired[list[WebhookEvent]]
    """Subscribed events; empty for all."""
    url: str
    """URL that receives the messages. The operator must allow its host (`--webhook-host`)."""


class ObjectChange(TypedDict):
    """A change of an object: exactly one of the fields."""
    archived: NotRequired[bool | None]
    """Whether it is archived: no list and no default selection contains it then."""
    name: NotRequired[str | None]
    """A study's title, or the name of a submission's model."""


class Options(TypedDict):
    """Everything that can be selected."""
    archived_models: list[ModelId]
    """Those of which every submission is archived: they are not selected by default."""
    empty: list[ModelId]
    """Those of `models` without ratings and without verdicts: not chosen by default."""
    groups: list[list[str | list[int]]]
    """Groups with those of `raters` that are in them."""
    models: list[list[int | str]]
    """Models with outputs."""
    name: Bilingual
    """The dataset's name."""
    raters: list[list[int | str]]
    """People who rated in any of the studies."""
    runs: list[RunOption]
    """Runs, newest first."""
    studies: list[StudyOption]
    """Studies, newest first."""


class OrderMeans(TypedDict):
    """The answers of a judging whose prompts listed the levels in one order."""
    answers: int
    """Valid answers."""
    means: list[float]
    """Their mean score on each dimension, in the rubric's order."""
    order: LevelOrder
    """`best_first` or `worst_first`."""


class OriginSame(TypedDict):
    """The model's line with this number, from 1."""
    same: int
    """The model's line with this number, from 1."""


class OriginChanged(TypedDict):
    """The model's line with this number, changed."""
    changed: list[dict[str, Any]]
    """The model's line with this number, changed."""

Origin: TypeAlias = "Literal['added'] | OriginSame | OriginChanged"
"""The origin of a line of the compiled source."""


class OtherDataset(TypedDict):
    """A dataset that a file's unknown IDs may belong to."""
    dataset: str
    """Its short name."""
    known: int
    """How many of the listed IDs name one of its tasks."""
    of: int
    """Number of the listed IDs."""


class Outcome(TypedDict):
    """Everything stored about running one output's tests."""
    cases: list[CaseResult]
    """The test cases, if the tests report them."""
    changes: list[Change]
    """The changes made to the model's text."""
    cpu_ms: int
    """CPU time in milliseconds, including the start of its JVM."""
    diagnostics: list[Diagnostic]
    """The compiler's messages, if it rejected the source."""
    flags: list[Flag]
    """The warnings."""
    limit: NotRequired[LimitHit | None]
    memory_kib: int
    """Peak resident memory in KiB, including the JVM's own."""
    message: str
    """The text of the program, its tests or the compiler; may be empty."""
    passed: int
    """Test cases passed, as reported by the tests."""
    printed: str
    """Printed output, shortened if it is long."""
    published: NotRequired[Published | None]
    reason: NotRequired[Reason | None]
    source: str
    """The source that was compiled."""
    total: int
    """Test cases, as reported; 0 if the tests did not get that far."""
    turns: NotRequired[list[TurnCheck]]
    """In a conversation of all turns: whether the answer fulfils its own turn and, if it failed, the earlier ones."""
    verdict: Verdict
    wall_ms: int
    """Wall time in milliseconds, from sending the code to its end."""


class OutputDetail(TypedDict):
    """One output with its task and its code."""
    can_choose: NotRequired[bool]
    """Whether an admin can choose another block of the response as the code."""
    code: CodeView
    conversation: NotRequired[str | None]
    """The conversation of which it is the last answer, as HTML; absent if its task is none."""
    model_name: str
    """The model's name."""
    published_unread: NotRequired[bool]
    """Whether the benchmark's published evaluator judges the text of the file as it stands instead of the code."""
    reading: NotRequired[Reading | None]
    reasoning: NotRequired[str | None]
    """The model's reasoning, where its file or its endpoint has it apart. It is never run or graded, and raters do not
    see it.
    """
    reported: NotRequired[Reported | None]
    row: OutputRow
    """The output."""
    task: TaskRow
    """The task."""

OutputId: TypeAlias = "int"
"""A model's output for one task."""


class OutputRatings(TypedDict):
    """One output with its ratings."""
    code: CodeView
    model: str
    ratings: list[RatingRow]
    """The ratings, oldest first, replaced ratings after the rater's current one."""
    sample: int
    """Index of the sample, from 0."""


class OutputRow(TypedDict):
    """One output in a list."""
    empty: bool
    """Whether it contains no code."""
    id: OutputId
    """The output."""
    lines: int
    """Number of lines of code."""
    raw_nl: str
    """Start of the description."""
    sample: int
    """The sample, from 0."""
    task_id: str
    """The task's external id."""


class Pace(TypedDict):
    """Expected time per rating."""
    seconds: NotRequired[int | None]
    """Seconds per rating; null for the measured value."""


class PageAnnouncement(TypedDict):
    """One page of a list."""
    items: list[Announcement]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageCollectionRow(TypedDict):
    """One page of a list."""
    items: list[CollectionRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageDatasetRow(TypedDict):
    """One page of a list."""
    items: list[DatasetRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageDeliveryRow(TypedDict):
    """One page of a list."""
    items: list[DeliveryRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageDisagreementRow(TypedDict):
    """One page of a list."""
    items: list[DisagreementRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageEntry(TypedDict):
    """One page of a list."""
    items: list[Entry]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageFlagRow(TypedDict):
    """One page of a list."""
    items: list[FlagRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageGroup(TypedDict):
    """One page of a list."""
    items: list[Group]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageInboxRow(TypedDict):
    """One page of a list."""
    items: list[InboxRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageInvitation(TypedDict):
    """One page of a list."""
    items: list[Invitation]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageItemRow(TypedDict):
    """One page of a list."""
    items: list[ItemRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageListedRating(TypedDict):
    """One page of a list."""
    items: list[ListedRating]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageOutputRow(TypedDict):
    """One page of a list."""
    items: list[OutputRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PagePublicLinkRow(TypedDict):
    """One page of a list."""
    items: list[PublicLinkRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageRequestRow(TypedDict):
    """One page of a list."""
    items: list[RequestRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageRubricRow(TypedDict):
    """One page of a list."""
    items: list[RubricRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageRunRow(TypedDict):
    """One page of a list."""
    items: list[RunRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageStudyRow(TypedDict):
    """One page of a list."""
    items: list[StudyRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageSubmissionRow(TypedDict):
    """One page of a list."""
    items: list[SubmissionRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageTaskLine(TypedDict):
    """One page of a list."""
    items: list[TaskLine]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageTaskRow(TypedDict):
    """One page of a list."""
    items: list[TaskRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageTaskScores(TypedDict):
    """One page of a list."""
    items: list[TaskScores]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageTokenRow(TypedDict):
    """One page of a list."""
    items: list[TokenRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageUploadRow(TypedDict):
    """One page of a list."""
    items: list[UploadRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageUserRow(TypedDict):
    """One page of a list."""
    items: list[UserRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""


class PageWebhookRow(TypedDict):
    """One page of a list."""
    items: list[WebhookRow]
    """The rows."""
    next: NotRequired[str | None]
    """Address of the next page on this server; absent on the last page."""

Pair = TypedDict(
    "Pair",
    {
        "first": "int",
        "holm": "NotRequired[float | None]",
        "mcnemar": "FigureMcNemar",
        "p": "NotRequired[float | None]",
        "pass": "float",
        "pass_interval": "NotRequired[Interval | None]",
        "ratio": "float",
        "ratio_interval": "NotRequired[Interval | None]",
        "second": "int",
        "table": "list[int]",
        "tasks": "int",
        "test": "NotRequired[DecidingTest | None]",
    },
)
"""Two models' runs over their common tasks."""


class PairCode(TypedDict):
    """An output's code and outcome."""
    code: CodeView
    """Its code."""
    fault: NotRequired[Fault | None]
    message: str
    """The message of the program, its tests or the compiler; may be empty."""
    output: OutputId
    """The output."""
    reason: NotRequired[Reason | None]


class PairFocus(TypedDict):
    """A task with both runs' code."""
    a: NotRequired[PairCode | None]
    b: NotRequired[PairCode | None]
    next: NotRequired[str | None]
    """Next task on which the runs differ."""
    previous: NotRequired[str | None]
    """Previous task on which the runs differ."""
    raw_nl: str
    """The whole description."""
    signature: NotRequired[str | None]
    task_id: str
    """The source's `task_id`."""


class PairOutput(TypedDict):
    """Summary of an output of a run."""
    cannot_judge: NotRequired[bool]
    """Whether a defect of the benchmark's data prevents a verdict."""
    output: OutputId
    """The output."""
    passed: int
    """Test cases passed."""
    state: ItemState
    total: int
    """Test cases."""
    verdict: NotRequired[Verdict | None]


class PairTask(TypedDict):
    """A task in two runs."""
    a: list[PairOutput]
    """The left run's samples in order; empty without an output."""
    b: list[PairOutput]
    """The right run's."""
    raw_nl: str
    """Start of the description."""
    task_id: str
    """The source's `task_id`."""


class ParsedRater(TypedDict):
    """A rater in a preview of ratings."""
    rater: str
    ratings: int
    """Number of ratings."""


class ParsedRating(TypedDict):
    """A rating in a preview."""
    line: int
    model: str
    rater: str
    scores: list[int]
    """One score per dimension, in the rubric's order."""
    task_id: str


class PassAtK(TypedDict):
    """`pass@k` for one k."""
    interval: NotRequired[Interval | None]
    k: int
    """Number of samples."""
    value: float
    """The probability that one of them passes, mean over all tasks."""


class Passes(TypedDict):
    """Number of tasks by which run passes them, by first samples."""
    both: int
    """Both pass."""
    neither: int
    """Neither."""
    not_counted: NotRequired[int]
    """Tasks that do not count, because a defect of the benchmark's data prevents a verdict."""
    only_a: int
    """Only the left run passes."""
    only_b: int
    """Only the right run passes."""


class Permutation(TypedDict):
    """A permutation test, two-sided."""
    looked_at: int
    """Sign assignments examined, including the observed one."""
    method: Method
    p: float


class PersonChange(TypedDict):
    """Changes of a person. Fields that are absent stay as they are."""
    disabled: NotRequired[bool | None]
    """Whether the account is deactivated. Deactivation ends sessions and tokens."""
    role: NotRequired[Role | None]


class PlanDetail(TypedDict):
    """A study's plan, before or after its start."""
    answers: NotRequired[RatedAnswers | None]
    dataset: str
    """Short name of the dataset."""
    done: int
    """Ratings submitted."""
    events: list[PlanEvent]
    """Changes of the plan, newest first, without single reassignments."""
    measured_s: NotRequired[int | None]
    """Measured seconds per rating in studies with the same rubric: the median of the time between one rating and the
    next. Absent if there are too few.
    """
    models: list[str]
    """The models, in the order of [`RaterPlan::models`]."""
    more: list[list[int | str]]
    """Submissions for the same dataset version that can be added."""
    others: list[list[int | str]]
    """People who can be added."""
    outputs: int
    """Number of outputs."""
    pace_s: NotRequired[int | None]
    """Expected seconds per rating, if the admin set it."""
    presentation: Presentation
    """How outputs are shown to raters."""
    raters: list[RaterPlan]
    """Current and former raters, by name."""
    raters_per_output: int
    """Raters per output."""
    seed: str
    """Seed. A string, because JavaScript numbers are exact only up to 2^53."""
    sharing: Sharing
    """How the work is shared."""
    status: StudyStatus
    """Whether the study has started."""
    study: StudyId
    """The study."""
    taken_over: int
    """Number of outputs reassigned because a rater finished early."""
    tasks: int
    """Number of tasks in the study."""
    tasks_most: int
    """Number of tasks with outputs that it could have."""
    title: str
    """Its title."""
    waiting: int
    """Planned ratings that no rater in the study can be assigned."""
    wanted: int
    """Ratings needed: outputs × raters per output."""


class PlanEvent(TypedDict):
    """A change of a plan."""
    at: Timestamp
    """Time of the change."""
    kind: str
    """`planned`, `started`, `added`, `removed` or `extended`."""
    ratings: int
    """Number of planned ratings created or moved."""
    who: NotRequired[str | None]
    """The person concerned."""


class PlannedPrompt(TypedDict):
    """A task's prompt; a judging's for an output of the task."""
    messages: list[ChatMessage]
    task_id: str
    """The task's external ID."""


class Point(TypedDict):
    """An output with a pass ratio and a score."""
    difference: float
    """Position of the score on the scale minus the pass ratio, −1 to 1."""
    grid_cell: GridCell
    """The cell of the output."""
    model: int
    """Index of the model."""
    ratio: float
    """Mean pass ratio of its samples, 0 to 1; an anomaly can exceed 1."""
    score: float
    """Mean score by people."""
    task: TaskId
    task_id: str
    """The task's `task_id`."""

Policy: TypeAlias = "Literal['adjudicator', 'extra_rater']"
"""How disagreements are resolved."""

Pool: TypeAlias = "Literal['calibration', 'hidden', 'both']"
"""Where a known-score item is used."""


class Position(TypedDict):
    """A position in the original code: line and column (in characters), both from 1."""
    column: int
    """The character in the line."""
    line: int
    """The line."""

Presentation: TypeAlias = "Literal['one', 'side_by_side']"
"""How outputs are shown to raters."""


class Preview(TypedDict):
    """The content of a file of outputs, before the import."""
    archive: bool
    """Whether the file has no lines that could be downloaded: it is an archive, one document, or a Parquet file."""
    bytes: int
    """Its size in bytes, as uploaded."""
    cut_short: bool
    """Whether the file could not be read to its end. Then lines are missing, and its valid lines cannot be imported
    alone.
    """
    dataset: str
    """The dataset it is matched against."""
    differing: list[FileLine]
    """Lines whose description differs from that of the task with their ID, at most [`PREVIEW_LIST`]; they are imported.
    """
    differing_count: int
    """Number of such lines."""
    duplicate_count: int
    """Number of such lines."""
    duplicates: list[FileLine]
    """Repeated lines with the same task and text. They are imported once, unless any task has different outputs: then
    they are samples.
    """
    empty: list[FileLine]
    """Outputs without code; they are imported and count as unsolved."""
    empty_count: int
    """Number of such lines."""
    file: str
    """The client's file name."""
    first: list[PreviewOutput]
    """The first outputs, at most [`PREVIEW_OUTPUTS`]."""
    identity_leak_count: int
    """Number of such lines."""
    identity_leaks: list[IdentityLeak]
    """Outputs whose comments or text may name a model, which a rater would see; at most [`PREVIEW_LIST`], each with its
    first match.
    """
    lines: int
    """Number of lines without blank ones."""
    matched: int
    """Matched lines."""
    matching: Matching
    """How the lines were matched: the result of [`Matching::Auto`]."""
    matching_reason: str
    """The reason, if it was chosen automatically."""
    matching_reason_zh: str
    """The same in Chinese."""
    missing: list[str]
    """Ids of tasks without an output, at most [`PREVIEW_LIST`]."""
    missing_count: int
    """Number of tasks without an output."""
    other_datasets: NotRequired[list[OtherDataset]]
    """Other datasets that have tasks of the IDs in `unknown`, most tasks first."""
    problem_count: int
    """Number of such lines. If there are any, nothing is imported, unless the admin chooses to leave them out."""
    problems: list[InputProblem]
    """Lines that cannot be parsed, at most [`PREVIEW_LIST`]."""
    same_as: NotRequired[SubmissionId | None]
    samples_max: int
    """The largest number of samples of a task; more than 1 allows pass@k."""
    shapes: list[list[Shape | int]]
    """The shapes found, with the number of lines each."""
    table: NotRequired[Table | None]
    tasks_covered: int
    """Tasks with at least one output."""
    tasks_total: int
    """Tasks of the dataset."""
    tasks_with_samples: int
    """Tasks with several samples."""
    their_verdicts: TheirVerdicts
    """The file's own verdicts."""
    unknown: list[FileLine]
    """Ids in the file that the dataset does not have, at most [`PREVIEW_LIST`]."""
    unknown_count: int
    """Number of such lines."""
    upload: UploadId
    """The upload."""
    warnings: NotRequired[list[PreviewWarning]]
    """What will probably be read or judged in another way than the file's author expects, by kind. These outputs are
    imported.
    """
    way: NotRequired[Way | None]


class PreviewOutput(TypedDict):
    """An output of a file as raters would see it."""
    code: CodeView
    line: int
    """The line of the file; 0 for an archive's class."""
    masked: NotRequired[CodeView | None]
    task: TaskRow
    """Its task."""


class PreviewWarning(TypedDict):
    """Outputs of a file about which a preview warns."""
    count: int
    """Number of outputs."""
    examples: list[FileLine]
    """The outputs, at most [`PREVIEW_LIST`]."""
    kind: WarningKind


class Problem(TypedDict):
    """An error. `type` is `about:blank`: the status gives the kind of problem."""
    detail: str
    """The problem and, if known, how to fix it."""
    incident: NotRequired[str | None]
    """The ID of an internal error in the server's log."""
    problems: NotRequired[list[InputProblem]]
    """Each problem of the input: where, what, and how to fix it."""
    status: int
    """The HTTP status."""
    title: str
    """The status in words."""
    type: str
    """Always `about:blank`."""


class ProblemZh(TypedDict):
    """A problem's texts in Chinese."""
    remedy: str
    """How to fix it."""
    what: str
    """The problem."""


class ProjectProblemMissing(TypedDict):
    """Its folder is missing."""
    kind: Literal['missing']


class ProjectProblemEnvironment(TypedDict):
    """It has no Python environment with pytest."""
    detail: str
    """What is missing, and how to install it."""
    kind: Literal['environment']


class ProjectProblemOtherVersion(TypedDict):
    """A file is not the one that the dataset was made from: the task's lines do not have the task's code."""
    file: str
    """The file, relative to the project."""
    kind: Literal['other_version']
    line: int
    """The line at which the code should begin, from 1."""
    offset: NotRequired[int | None]
    """How many lines further down the file has the code, up if negative; absent if it does not have it."""


class ProjectProblemOwnCode(TypedDict):
    """A test does not run, or does not pass, with the project's own code."""
    detail: str
    """What pytest said; may be empty."""
    kind: Literal['own_code']
    test: str
    """The test's ID."""


class ProjectProblemUnreadable(TypedDict):
    """Its files cannot be copied."""
    detail: str
    """The message of the operating system."""
    kind: Literal['unreadable']

ProjectProblem: TypeAlias = """(
    ProjectProblemMissing
    | ProjectProblemEnvironment
    | ProjectProblemOtherVersion
    | ProjectProblemOwnCode
    | ProjectProblemUnreadable
)"""
"""Why a project cannot be used."""


class Projection(TypedDict):
    """Estimated finish of a study, with its basis."""
    end: Timestamp
    """Estimated time of the last rating."""
    left: int
    """Ratings still needed."""
    ratings: int
    """Ratings in the window."""
    window_ms: int
    """Length of the window up to now, in milliseconds; at most a day."""

PublicLinkId: TypeAlias = "int"
"""A link to a closed study's public page."""


class PublicLinkRow(TypedDict):
    """A link to a closed study's public page. The secret is shown only once, on creation."""
    about: Publication
    code: bool
    created_at: Timestamp
    expires_at: NotRequired[Timestamp | None]
    id: PublicLinkId
    open: bool
    """Whether it is neither expired nor revoked."""
    revoked_at: NotRequired[Timestamp | None]


class Publication(TypedDict):
    """What an admin writes about a published study. Each field may be empty; the page then omits it."""
    authors: NotRequired[str]
    """The authors that a citation names: people, or an institution."""
    contact: NotRequired[str]
    """The name and address of a person to contact."""
    license: NotRequired[str]
    """The license of figures and data."""
    purpose: NotRequired[str]
    """What the study is for."""


class Published(TypedDict):
    """A [`PublishedVerdict`] with its reason."""
    failure: NotRequired[FailureClass | None]
    reason: str
    """The reason in a sentence; empty if it passes."""
    verdict: PublishedVerdict


class PublishedAnnouncement(TypedDict):
    """The ID of a published announcement."""
    id: AnnouncementId


class PublishedChecked(TypedDict):
    """The same for a run of a comparison."""
    differences: list[PublishedDifference]
    """Why the verdicts differ, the most frequent reason first."""
    figures: AsPublished
    pass_at: list[PassAtK]
    """`pass@k` as for the guarded verdicts."""
    pass_interval: NotRequired[Interval | None]


class PublishedDifference(TypedDict):
    """Outputs that pass as published and not guarded, for one reason."""
    outputs: int
    """How many."""
    reason: NotRequired[Reason | None]

PublishedVerdict: TypeAlias = "Literal['passed', 'failed', 'timeout']"
"""Verdict of the evaluator that was published with a benchmark. The [`Verdict`] is the one that counts."""


class QualityChange(TypedDict):
    """A change of a study's quality settings, in whatever state it is."""
    break_minutes: NotRequired[int]
    """Minutes of work without a pause after which raters read that a break helps; 0 for never. At most [`BREAK_MOST`].
    """
    calibration: NotRequired[CalibrationMode]
    """How known-score items open the study."""
    due: NotRequired[Day | None]
    fast_limit: NotRequired[int]
    """Number of items below the minimum time in a window that exceeds the limit."""
    known_item_every: NotRequired[int]
    """Insert a hidden check with known scores about every N outputs; 0 for none, otherwise at least 2."""
    limit_action: NotRequired[LimitAction]
    """The consequence of exceeding a limit."""
    limit_window: NotRequired[int]
    """Length of a window, in items that the rater rated. Limits are checked at its end only, so the moment says nothing
    about a single item.
    """
    min_seconds: NotRequired[int]
    """Minimum time for an item, in seconds; 0 for no limit. Items are outputs and hidden checks alike."""
    missed_limit: NotRequired[int]
    """Number of missed hidden known-score items in a window that exceeds the limit, at least 2; 0 for no limit."""
    needed: NotRequired[int]
    """With `must_pass`, the number of items that must be correct on every dimension; otherwise 0."""
    policy: NotRequired[Policy]
    """How disagreements are resolved."""
    repeat_apart: NotRequired[int]
    """Minimum number of outputs between an output and its repeat."""
    repeat_every: NotRequired[int]
    """Repeat an output that the rater has rated before about every N outputs; 0 for none, otherwise at least 2."""
    shown: NotRequired[FeedbackLevel]
    """The figures about themselves that raters see."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of an output on a dimension that is not a disagreement; `None` for no
    limit.
    """
    spread_correctness: NotRequired[int | None]
    """Overrides `spread` for correctness."""
    tolerance: NotRequired[int]
    """How many levels a score may differ from the known score on each dimension and still be correct; 0 is exact.
    """
    preset: NotRequired[QualityPreset | None]


class QualityPage(TypedDict):
    """A study's quality page."""
    adjudicators: list[list[int | str | bool]]
    """Possible adjudicators: user, name, whether they are one."""
    calibrations: list[CalibrationRow]
    """The raters' calibration."""
    choices: KnownItemChoices
    """Outputs and tasks from which further items can be made."""
    extra_work: ExtraWork
    """The work that the settings add for a rater."""
    known_items: list[KnownItem]
    """Known-score items, newest last."""
    limits: list[RaterLimits]
    """How the study's raters keep its limits."""
    preset: NotRequired[QualityPreset | None]
    proposal: NotRequired[KnownItemProposal | None]
    rubric: Rubric
    settings: QualitySettings
    title: str
    workload: Workload
    """What the work that the settings add for a rater depends on."""

QualityPreset: TypeAlias = "Literal['off', 'light', 'strict']"
"""Quality settings to start from."""


class QualitySettings(TypedDict):
    """Quality control settings of a study. The defaults switch everything off."""
    break_minutes: NotRequired[int]
    """Minutes of work without a pause after which raters read that a break helps; 0 for never. At most [`BREAK_MOST`].
    """
    calibration: NotRequired[CalibrationMode]
    """How known-score items open the study."""
    due: NotRequired[Day | None]
    fast_limit: NotRequired[int]
    """Number of items below the minimum time in a window that exceeds the limit."""
    known_item_every: NotRequired[int]
    """Insert a hidden check with known scores about every N outputs; 0 for none, otherwise at least 2."""
    limit_action: NotRequired[LimitAction]
    """The consequence of exceeding a limit."""
    limit_window: NotRequired[int]
    """Length of a window, in items that the rater rated. Limits are checked at its end only, so the moment says nothing
    about a single item.
    """
    min_seconds: NotRequired[int]
    """Minimum time for an item, in seconds; 0 for no limit. Items are outputs and hidden checks alike."""
    missed_limit: NotRequired[int]
    """Number of missed hidden known-score items in a window that exceeds the limit, at least 2; 0 for no limit."""
    needed: NotRequired[int]
    """With `must_pass`, the number of items that must be correct on every dimension; otherwise 0."""
    policy: NotRequired[Policy]
    """How disagreements are resolved."""
    repeat_apart: NotRequired[int]
    """Minimum number of outputs between an output and its repeat."""
    repeat_every: NotRequired[int]
    """Repeat an output that the rater has rated before about every N outputs; 0 for none, otherwise at least 2."""
    shown: NotRequired[FeedbackLevel]
    """The figures about themselves that raters see."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of an output on a dimension that is not a disagreement; `None` for no
    limit.
    """
    spread_correctness: NotRequired[int | None]
    """Overrides `spread` for correctness."""
    tolerance: NotRequired[int]
    """How many levels a score may differ from the known score on each dimension and still be correct; 0 is exact.
    """


class QualitySettingsPatch(TypedDict):
    """Quality control settings of a study. The defaults switch everything off."""
    break_minutes: NotRequired[int]
    """Minutes of work without a pause after which raters read that a break helps; 0 for never. At most [`BREAK_MOST`].
    """
    calibration: NotRequired[CalibrationMode]
    """How known-score items open the study."""
    due: NotRequired[Day | None]
    fast_limit: NotRequired[int]
    """Number of items below the minimum time in a window that exceeds the limit."""
    known_item_every: NotRequired[int]
    """Insert a hidden check with known scores about every N outputs; 0 for none, otherwise at least 2."""
    limit_action: NotRequired[LimitAction]
    """The consequence of exceeding a limit."""
    limit_window: NotRequired[int]
    """Length of a window, in items that the rater rated. Limits are checked at its end only, so the moment says nothing
    about a single item.
    """
    min_seconds: NotRequired[int]
    """Minimum time for an item, in seconds; 0 for no limit. Items are outputs and hidden checks alike."""
    missed_limit: NotRequired[int]
    """Number of missed hidden known-score items in a window that exceeds the limit, at least 2; 0 for no limit."""
    needed: NotRequired[int]
    """With `must_pass`, the number of items that must be correct on every dimension; otherwise 0."""
    policy: NotRequired[Policy]
    """How disagreements are resolved."""
    repeat_apart: NotRequired[int]
    """Minimum number of outputs between an output and its repeat."""
    repeat_every: NotRequired[int]
    """Repeat an output that the rater has rated before about every N outputs; 0 for none, otherwise at least 2."""
    shown: NotRequired[FeedbackLevel]
    """The figures about themselves that raters see."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of an output on a dimension that is not a disagreement; `None` for no
    limit.
    """
    spread_correctness: NotRequired[int | None]
    """Overrides `spread` for correctness."""
    tolerance: NotRequired[int]
    """How many levels a score may differ from the known score on each dimension and still be correct; 0 is exact.
    """


class QueueRow(TypedDict):
    """A queue of jobs."""
    kind: str
    """The queue: `java-classes` for Java test classes, otherwise a language."""
    running: int
    """Jobs that workers have."""
    served: bool
    """Whether a worker takes jobs from it."""
    waiting: int
    """Jobs that no worker has yet."""

RatedAnswers: TypeAlias = "Literal['last', 'each']"
"""Which answers of a conversation are rated. Tasks that are no conversations have one answer."""


class RatedModel(TypedDict):
    """A model in a preview of ratings."""
    model: str
    ratings: int
    """Number of ratings."""
    submission: int
    """The submission to which they belong."""


class RatedOutput(TypedDict):
    """An output with ratings of it."""
    code: CodeView
    conversation: NotRequired[str | None]
    """The conversation of which it is the last answer, as HTML; absent if its task is none."""
    nl_lang: Lang
    ratings: list[AnonymousRating]
    """The ratings. In a disagreement, they are in random order and have letters instead of names."""
    raw_nl: str
    rubric: Rubric
    signature: NotRequired[str | None]


class RaterAdvantage(TypedDict):
    """A judge compared with one rater."""
    advantage: float
    """Share of these on which the judge is at least as close to the other raters as this one."""
    of_rater: float
    """Share on which this rater is at least as close as the judge."""
    outputs: int
    """Outputs that the rater, another rater and the judge scored."""
    rater: int
    """Index of the rater."""


class RaterFigures(TypedDict):
    """Figures about one rater of one study (docs/statistics.md, "Raters")."""
    active_ms: int
    """Total active time of these, in milliseconds."""
    again: Match
    """Agreement with the rater's own first rating of repeated outputs."""
    flat: NotRequired[float | None]
    """Share of ratings with the same score on every dimension, 0 to 1."""
    known_items: Match
    """Agreement with known scores."""
    known_items_right: int
    """Outputs within the tolerance on every dimension, out of `known_items.outputs`."""
    longest_run: int
    """Longest run of consecutive equal ratings."""
    peers: Match
    """Agreement with the other raters of the same outputs."""
    per_hour: NotRequired[float | None]
    """Ratings per hour of active time; `None` without measured time."""
    ratings: int
    """Ratings that count, and answered hidden checks."""
    timed: int
    """Ratings with measured active time."""


class RaterFlag1(TypedDict):
    cannot_judge: NotRequired[str]
    code_truncated: NotRequired[str]
    description_unclear: NotRequired[str]
    other: NotRequired[str]

RaterFlag: TypeAlias = "Literal['description_unclear', 'cannot_judge', 'code_truncated', 'other'] | RaterFlag1"


class RaterLimits(TypedDict):
    """How a rater keeps a study's limits."""
    checks: int
    """Hidden known-score items in it."""
    fast: int
    """The last window over a limit that no admin has dealt with: items below the minimum time; 0 if that limit was
    kept.
    """
    items: int
    """Its items."""
    missed: int
    """Missed hidden known-score items in it; 0 if that limit was kept."""
    name: str
    paused_at: NotRequired[Timestamp | None]
    rater: UserId
    warned: bool
    """Whether the rater has a warning to read."""


class RaterPlan(TypedDict):
    """One rater's part of a plan."""
    id: UserId
    """The rater."""
    langs: list[int]
    """Planned and submitted ratings, English and Chinese."""
    models: list[int]
    """Planned and submitted ratings per model."""
    name: str
    """Their name."""
    open: int
    """Planned ratings that are not submitted."""
    rated: int
    """Ratings submitted."""
    reads: Reads
    """Languages in which the study assigns work to the rater."""
    removed_at: NotRequired[Timestamp | None]
    share: NotRequired[int | None]
    """Maximum share, if shares are set by hand: outputs, or tasks in side-by-side studies."""


class RaterProgress(TypedDict):
    """Progress of a rater."""
    id: UserId
    """The rater."""
    last_at: NotRequired[Timestamp | None]
    leased: int
    """Outputs that the rater is working on."""
    median_ms: NotRequired[int | None]
    """Median time from display to rating in milliseconds, if there are ratings."""
    name: str
    """Their name."""
    rated: int
    """Outputs rated."""
    skipped: int
    """Skipped outputs that are not rated."""


class RatingRow(TypedDict):
    """One rating, with its history."""
    at: Timestamp
    """When it was committed."""
    comment: str
    flag: NotRequired[RaterFlag | None]
    notes: list[LineNote]
    """Line notes, in the order of the code."""
    rater: str
    replaced: bool
    """Whether a later rating by the same rater replaced it."""
    scores: list[int]


class RatingsPreview(TypedDict):
    """The content of a file of ratings, and its problems. Nothing is imported while it has any."""
    columns: list[str]
    """The file's columns, by name."""
    fields: list[TableField]
    """The columns of the format, required ones first."""
    file: str
    """The file's name."""
    first: list[ParsedRating]
    """The first ratings, as parsed."""
    imported: bool
    """Whether it was imported."""
    models: list[RatedModel]
    outputs: int
    """Number of rated outputs."""
    problem_count: int
    """Total number of problems."""
    problems: list[InputProblem]
    """The first problems."""
    raters: list[ParsedRater]
    """The raters; empty for a judge model."""
    ratings: int
    """Number of ratings to import."""
    replaced: int
    """Superseded lines, which are skipped."""
    study: NotRequired[StudyId | None]
    unused: list[str]
    """Unused columns."""


class ReadBlock(TypedDict):
    """A code block of a response."""
    code: str
    is_cut_off: bool
    """Whether the response ends within it."""
    language: str
    """The language that it is marked with; empty if it has no mark."""
    role: BlockRole


class Reading(TypedDict):
    """A chat response as it was read."""
    blocks: list[ReadBlock]
    """The code blocks of the answer, in order."""
    reasoning: str
    """What the model thought before it answered; empty if it shows no reasoning. Never run, and never shown to raters.
    """
    why: Why
    """Why the code is what it is."""

Reads: TypeAlias = "str"


class ReasonOutputTooLong(TypedDict):
    """The output has more bytes than are read."""
    code: Literal['output_too_long']
    limit_bytes: int
    """How many are read."""


class ReasonNoCode(TypedDict):
    """Nothing in the output is code."""
    code: Literal['no_code']


class ReasonNestedTooDeep(TypedDict):
    """The output nests brackets too deep, or leaves too many `<` open."""
    angles: int
    """`<` that may be open at once."""
    brackets: int
    """Brackets that may be open at once."""
    code: Literal['nested_too_deep']


class ReasonParsingCost(TypedDict):
    """Parsing the output reached its limit of CPU time."""
    code: Literal['parsing_cost']


class ReasonParsingSteps(TypedDict):
    """Parsing and assembling the output took too many steps for its length."""
    code: Literal['parsing_steps']


class ReasonCompilerError(TypedDict):
    """The compiler refused the code; the outcome's `message` is the first of its messages."""
    code: Literal['compiler_error']
    line: NotRequired[int | None]
    """The line of the model's text, counted from 1, where the message is about one."""


class ReasonCompilerSilent(TypedDict):
    """The compiler refused the code without a message."""
    code: Literal['compiler_silent']


class ReasonCompilerCpu(TypedDict):
    """The compiler reached its limit of CPU time."""
    code: Literal['compiler_cpu']


class ReasonCompilerStack(TypedDict):
    """The compiler ran out of stack."""
    code: Literal['compiler_stack']


class ReasonCompilerMemory(TypedDict):
    """The compiler ran out of memory."""
    code: Literal['compiler_memory']


class ReasonCompilerCrash(TypedDict):
    """The compiler crashed."""
    code: Literal['compiler_crash']


class ReasonCpuTime(TypedDict):
    """The program reached its limit of CPU time."""
    code: Literal['cpu_time']
    limit_ms: int
    """The limit in milliseconds."""


class ReasonWaitingTime(TypedDict):
    """The program reached its limit of waiting time."""
    code: Literal['waiting_time']
    limit_ms: int
    """The limit in milliseconds."""


class ReasonSandboxMemory(TypedDict):
    """The program's processes used more memory than the sandbox has."""
    code: Literal['sandbox_memory']


class ReasonPrintedTooMuch(TypedDict):
    """The program printed more than is accepted."""
    code: Literal['printed_too_much']


class ReasonEndedEarly(TypedDict):
    """The program ended before there was a result."""
    code: Literal['ended_early']
    exit_code: NotRequired[int | None]
    """The exit code, which the program chooses; absent if the helper reported none."""


class ReasonSignal(TypedDict):
    """A signal ended the program."""
    code: Literal['signal']
    signal: int
    """The signal's number."""


class ReasonCannotJudge(TypedDict):
    """A defect of the benchmark's data: its tests cannot judge this answer. Guarded figures leave it out."""
    code: Literal['cannot_judge']
    defect: DataDefect
    """The defect."""


class ReasonLost(TypedDict):
    """The program is gone, and how it ended is unknown."""
    code: Literal['lost']


class ReasonNotAFrame(TypedDict):
    """Something other than a frame came over the control socket."""
    code: Literal['not_a_frame']


class ReasonFalseResult(TypedDict):
    """A frame came over the control socket that is no genuine result."""
    code: Literal['false_result']


class ReasonChangedSettings(TypedDict):
    """The program changed process-wide settings that tests rely on."""
    code: Literal['changed_settings']
    settings: list[Setting]
    """Which."""


class ReasonUnconfirmed(TypedDict):
    """The program reported a pass that its own recorded answers do not support."""
    code: Literal['unconfirmed']


class ReasonAnswersRefused(TypedDict):
    """The tests, in a process of their own, do not accept what the code answered; the outcome's `message` says which
    assertion failed.
    """
    code: Literal['answers_refused']


class ReasonAnswerNotPlain(TypedDict):
    """The code answered with an object that cannot be sent to another process."""
    code: Literal['answer_not_plain']


class ReasonChangesRefused(TypedDict):
    """The tests do not accept what the code answered, and it changed arguments that the dataset's own solution does not
    change. The tests see such arguments unchanged.
    """
    code: Literal['changes_refused']


class ReasonPublishedReadsFences(TypedDict):
    """The code is right, but the benchmark's published evaluator reads the file's text as it stands, with its code
    fence, and fails it. The only reason of a verdict that passed.
    """
    code: Literal['published_reads_fences']


class ReasonAnswerNan(TypedDict):
    """An answer contains NaN, and that of the dataset's own solution does not."""
    code: Literal['answer_nan']


class ReasonAnswerInfinite(TypedDict):
    """An answer contains an infinity or the smallest integer of its type, and that of the dataset's own solution does
    not.
    """
    code: Literal['answer_infinite']


class ReasonAnswerFarOff(TypedDict):
    """An answer contains a number that is far larger than those of the dataset's own solution."""
    code: Literal['answer_far_off']


class ReasonAnswerOfAnotherType(TypedDict):
    """An answer has values of another type than that of the dataset's own solution, and the tests convert them to
    numbers.
    """
    code: Literal['answer_of_another_type']


class ReasonAnswerTooLarge(TypedDict):
    """An answer is far larger than that of the dataset's own solution."""
    code: Literal['answer_too_large']


class ReasonNoAnswer(TypedDict):
    """The code's process ended, or raised an error, before it answered the tests."""
    code: Literal['no_answer']


class ReasonNoCounts(TypedDict):
    """The test class returned something other than the numbers of passed and of all cases."""
    code: Literal['no_counts']


class ReasonImpossibleCounts(TypedDict):
    """The tests reported numbers of cases that cannot be."""
    code: Literal['impossible_counts']
    passed: int
    """Cases passed, as reported."""
    total: int
    """Cases in all, as reported."""

Reason: TypeAlias = """(
    ReasonOutputTooLong
    | ReasonNoCode
    | ReasonNestedTooDeep
    | ReasonParsingCost
    | ReasonParsingSteps
    | ReasonCompilerError
    | ReasonCompilerSilent
    | ReasonCompilerCpu
    | ReasonCompilerStack
    | ReasonCompilerMemory
    | ReasonCompilerCrash
    | ReasonCpuTime
    | ReasonWaitingTime
    | ReasonSandboxMemory
    | ReasonPrintedTooMuch
    | ReasonEndedEarly
    | ReasonSignal
    | ReasonCannotJudge
    | ReasonLost
    | ReasonNotAFrame
    | ReasonFalseResult
    | ReasonChangedSettings
    | ReasonUnconfirmed
    | ReasonAnswersRefused
    | ReasonAnswerNotPlain
    | ReasonChangesRefused
    | ReasonPublishedReadsFences
    | ReasonAnswerNan
    | ReasonAnswerInfinite
    | ReasonAnswerFarOff
    | ReasonAnswerOfAnotherType
    | ReasonAnswerTooLarge
    | ReasonNoAnswer
    | ReasonNoCounts
    | ReasonImpossibleCounts
)"""
"""Why the engine gave an output its verdict. What the program, its tests or the compiler said is in the outcome's
`message`.
"""


class Related(TypedDict):
    """Correlation of tests and people."""
    correlation: Correlation
    """The correlations, with the number of outputs."""
    model: NotRequired[int | None]
    """Index of the model; `None` for all models together."""


class Reliability(TypedDict):
    """Inter-rater reliability on one dimension."""
    ac2: FigureEstimate
    """Gwet's AC2, quadratic weights."""
    alpha: FigureEstimate
    """Krippendorff's alpha, ordinal."""
    crossed: int
    """Number of outputs that every rater rated, from which `icc2` and `icc2k` are computed."""
    exact: FigureEstimate
    """Share of equal pairs, 0 to 1."""
    icc1: FigureEstimate
    """ICC(1): one-way random effects, one rater."""
    icc1_unequal: bool
    """Whether the interval of `icc1` is approximate because outputs have unequal numbers of ratings."""
    icc2: FigureEstimate
    """ICC(2,1): two-way random effects, absolute agreement, one rater."""
    icc2k: FigureEstimate
    """ICC(2,k): as ICC(2,1), for the mean of all raters."""
    kappas: list[Kappa]
    """Quadratic-weighted kappa for each pair of raters."""
    outputs: int
    """Number of outputs with at least two ratings."""
    pairs: int
    """Number of pairs of ratings of one output."""
    within_one: FigureEstimate
    """Share of pairs at most one level apart, 0 to 1."""

Remark: TypeAlias = "Literal['empty', 'does_not_parse', 'truncated']"
"""A remark about the code for the rater."""


class Reopening(TypedDict):
    """Why a study is reopened."""
    reason: str
    """The reason, 1 to 500 characters; kept in the audit log."""


class Reported(TypedDict):
    """What a file says about an output besides its text."""
    by: Shape
    """The format of the file."""
    detail: NotRequired[str | None]
    """The verdict in the tool's own words."""
    epoch: NotRequired[int | None]
    """The number of the sample of its task, from 1."""
    input_tokens: NotRequired[int | None]
    model: NotRequired[str | None]
    """The model's name in the file."""
    output_tokens: NotRequired[int | None]
    verdict: NotRequired[TheirVerdict | None]


class RequestDetail(TypedDict):
    """A request with its texts."""
    fault: NotRequired[Bilingual | None]
    messages: list[ChatMessage]
    """The messages as they were sent."""
    other_parts: list[str]
    """Types of the response's parts that are neither text nor reasoning and were left out, such as `image_url`."""
    reasoning: NotRequired[str | None]
    """The model's reasoning, where the endpoint sent it apart from the text. It is never run or graded."""
    refusal: NotRequired[str | None]
    """The words with which the model refused to answer, where the endpoint sent them apart from the text."""
    response: NotRequired[str | None]
    """The text of the response as it came."""
    row: RequestRow


class RequestFaultHostNotAllowed(TypedDict):
    """The operator does not allow webhooks to the host. Nothing was sent."""
    code: Literal['host_not_allowed']


class RequestFaultDamagedSecret(TypedDict):
    """The secret of the webhook is damaged. Nothing was sent."""
    code: Literal['damaged_secret']


class RequestFaultRedirect(TypedDict):
    """The response was a redirect, which is not followed."""
    code: Literal['redirect']
    status: int
    """The HTTP status."""


class RequestFaultStatus(TypedDict):
    """The response had an error status."""
    code: Literal['status']
    detail: NotRequired[str]
    """An endpoint's message; absent if there is none, and for webhooks."""
    status: int
    """The HTTP status."""


class RequestFaultTimeout(TypedDict):
    """There was no complete response in time."""
    code: Literal['timeout']
    seconds: int
    """How long the server waited."""


class RequestFaultNetwork(TypedDict):
    """There was no connection, or it broke."""
    code: Literal['network']
    detail: str
    """The message of the library or the operating system."""


class RequestFaultBodyTooLarge(TypedDict):
    """An endpoint's HTTP body was larger than the server reads."""
    code: Literal['body_too_large']
    limit_bytes: int
    """How many bytes are read."""


class RequestFaultResponseTooLong(TypedDict):
    """A model's response was longer than an output can be."""
    code: Literal['response_too_long']
    limit_bytes: int
    """How long it can be."""


class RequestFaultErrorInAnswer(TypedDict):
    """An endpoint's answer had a status of success, and an error inside."""
    code: Literal['error_in_answer']
    detail: NotRequired[str]
    """The endpoint's message."""
    status: NotRequired[int | None]
    """The HTTP status that the error stands for, as it says; absent if it does not."""


class RequestFaultNotJson(TypedDict):
    """An endpoint's answer was not JSON, such as the page of a proxy."""
    code: Literal['not_json']
    detail: str
    """What is wrong with it, and its beginning."""


class RequestFaultNotACompletion(TypedDict):
    """An endpoint's answer was JSON, but not a chat completion."""
    code: Literal['not_a_completion']
    detail: str
    """What is wrong with it."""


class RequestFaultStreamCutOff(TypedDict):
    """A response was streamed, and the stream ended before it was complete."""
    code: Literal['stream_cut_off']


class RequestFaultNoChoice(TypedDict):
    """An endpoint's answer was a chat completion without a choice."""
    code: Literal['no_choice']


class RequestFaultNotSent(TypedDict):
    """The server could not make the request."""
    code: Literal['not_sent']
    detail: str
    """The message of the library."""

RequestFault: TypeAlias = """(
    RequestFaultHostNotAllowed
    | RequestFaultDamagedSecret
    | RequestFaultRedirect
    | RequestFaultStatus
    | RequestFaultTimeout
    | RequestFaultNetwork
    | RequestFaultBodyTooLarge
    | RequestFaultResponseTooLong
    | RequestFaultErrorInAnswer
    | RequestFaultNotJson
    | RequestFaultNotACompletion
    | RequestFaultStreamCutOff
    | RequestFaultNoChoice
    | RequestFaultNotSent
)"""
"""Why a request to a webhook or an endpoint failed."""


class RequestForm(TypedDict):
    """How an endpoint wants its requests, as far as endpoints differ. The first request of a collection finds it out.
    """
    max_completion_tokens: bool
    """Whether the maximum of tokens per response is sent as `max_completion_tokens` instead of `max_tokens`."""
    no_stream_options: bool
    """Whether `stream_options` is left out, which asks for the number of tokens of a stream."""
    stream: bool
    """Whether responses are streamed."""


class RequestRow(TypedDict):
    """A request that was sent at least once."""
    attempts: int
    """How often it was sent."""
    error: NotRequired[RequestFault | None]
    finish_reason: NotRequired[str | None]
    """Why the response ended, as the endpoint says: `stop`, or `length` if it was cut off."""
    id: int
    """Its number within the program."""
    instruction: NotRequired[int | None]
    """In a dynamic conversation: the turn of the task whose instruction it asks for."""
    instruction_answers: list[InstructionAnswer]
    """A valid answer's answers about the instructions of the output's conversation, by turn; empty if the judge was not
    asked about any.
    """
    latency_ms: NotRequired[int | None]
    """Milliseconds from sending it to the end of its response."""
    output: NotRequired[JudgedOutput | None]
    prompt_tokens: NotRequired[int | None]
    """Tokens of the prompt, as the endpoint counted them."""
    reported_model: NotRequired[str | None]
    """The model's name as the endpoint reported it."""
    response_tokens: NotRequired[int | None]
    """Tokens of the response, as the endpoint counted them."""
    sample: int
    """The sample, from 0; of a judging, the answer for the same output."""
    scores: NotRequired[list[int] | None]
    """A valid answer's scores, in the rubric's order."""
    sent_at: Timestamp
    """When it was last sent."""
    status: RequestStatus
    task_id: str
    """The task's external ID."""
    tests: NotRequired[TestedAnswer | None]
    tests_fault: NotRequired[Fault | None]
    turn: int
    """The turn of a conversation, from 0. Of a judging, 1 if the judge is asked once more, because its first answer is
    not valid.
    """

RequestStatus: TypeAlias = "Literal['sent', 'waiting', 'answered', 'failed']"
"""The state of a request."""


class RerunOutput(TypedDict):
    """This one, ignoring the cache."""
    output: OutputId
    """This one, ignoring the cache."""


class RerunTasks(TypedDict):
    """Those of these tasks, by external id, ignoring the cache."""
    tasks: list[str]
    """Those of these tasks, by external id, ignoring the cache."""

Rerun: TypeAlias = """(
    RerunOutput
    | RerunTasks
    | Literal['failed']
    | Literal['of_removed_workers']
    | Literal['changed']
    | Literal['rest']
)"""
"""Selects the outputs of a run to run again."""

Role: TypeAlias = "Literal['admin', 'rater']"
"""A role."""


class RoundFigures(TypedDict):
    """The figures of one round of the conversations that have it."""
    accuracy: Share
    forgotten: Share
    forgotten_as_coded: Share
    instruction_accuracy: Share
    round: int
    """From 1, the base prompt."""


class RoutineFaultDiskFull(TypedDict):
    """The disk is full."""
    code: Literal['disk_full']
    path: str
    """The file or folder that could not be written."""


class RoutineFaultDamaged(TypedDict):
    """SQLite found the database damaged."""
    code: Literal['damaged']
    detail: str
    """SQLite's message."""


class RoutineFaultBackupRunning(TypedDict):
    """Another backup of the data folder is being made."""
    code: Literal['backup_running']
    folder: str
    """The data folder."""


class RoutineFaultBackupFolder(TypedDict):
    """The folder of backups cannot be used."""
    code: Literal['backup_folder']
    folder: str
    """The folder."""
    problem: FolderProblem
    """Why."""


class RoutineFaultBackup(TypedDict):
    """A backup failed for another reason, such as an older backup that cannot be read."""
    code: Literal['backup']
    detail: str
    """The reason, in English."""


class RoutineFaultInternal(TypedDict):
    """An internal error."""
    code: Literal['internal']
    incident: str
    """Its number in the log."""

RoutineFault: TypeAlias = """(
    RoutineFaultDiskFull
    | RoutineFaultDamaged
    | RoutineFaultBackupRunning
    | RoutineFaultBackupFolder
    | RoutineFaultBackup
    | RoutineFaultInternal
)"""
"""Why something that the server does for itself every day failed."""


class Rubric(TypedDict):
    """A versioned set of dimensions. A study keeps its version."""
    dimensions: list[Dimension]
    """The dimensions, in scoring order, and after them the checklist."""
    instructions: NotRequired[bool]
    """Whether the checklist has one more item for each instruction of a conversation: whether the output follows it."""
    slug: str
    """Short name of the rubric, the same in all versions."""
    version: NotRequired[int]
    """Increases with each change. The server numbers versions, so files may leave it out."""


class RubricChoices(TypedDict):
    """The rubrics that a new study can use."""
    default: RubricSummary
    """The dataset's default."""
    measured_s: NotRequired[int | None]
    """Measured seconds per rating with the default. Absent if there are too few ratings."""
    others: list[RubricSummary]
    """The newest versions of the other rubrics, without archived ones."""


class RubricDetail(TypedDict):
    """One version of a rubric, and the list of all."""
    archived: bool
    """Whether it is archived, so that no form offers it."""
    rubric: Rubric
    """The version that was asked for."""
    versions: list[RubricVersion]
    """Every version, newest first."""


class RubricRow(TypedDict):
    """A row of the list of rubrics: one that is not archived, at its newest version."""
    newest: RubricSummary
    """The newest version."""
    studies: int
    """Studies that use any of its versions."""


class RubricSummary(TypedDict):
    """A version of a rubric in short."""
    dimensions: list[DimensionSummary]
    """Its dimensions, in scoring order."""
    slug: str
    """Short name."""
    version: int
    """The version."""


class RubricVersion(TypedDict):
    """A stored version of a rubric. It never changes."""
    created_at: Timestamp
    """When it was stored."""
    created_by: NotRequired[str | None]
    """The person who saved it; absent for imports and the command line."""
    studies: int
    """Studies that use this version."""
    version: int
    """The version."""


class Run(TypedDict):
    """A run without its outputs."""
    cached: int
    """Number of outputs with a cached result."""
    differences: list[PublishedDifference]
    """Outputs that pass only as published, by reason."""
    environment: Environment
    """Conditions that were the same for every output."""
    fault: NotRequired[Fault | None]
    pass_at: list[PassAtK]
    """`pass@k` for k = 1, 10 and 100 as far as there are samples, or for every k below ten samples."""
    published_pass_at: list[PassAtK]
    """The same by the verdicts as published; empty if the benchmark has no evaluator."""
    row: RunRow
    """The row of the list, with the figures."""
    verdicts: dict[str, int]
    """Number of outputs per verdict."""

RunId: TypeAlias = "int"
"""One execution of a dataset's tests over a submission."""


class RunOption(TypedDict):
    """A run that can be selected."""
    archived: bool
    """Whether its submission is archived: then it is not selected by default."""
    done: int
    """Outputs that have a verdict."""
    id: RunId
    """The run."""
    model: ModelId
    """Its model."""
    open: bool
    """Whether it is in progress."""


class RunPair(TypedDict):
    """Comparison of two runs."""
    a: RunRow
    b: RunRow
    focus: NotRequired[PairFocus | None]
    p: NotRequired[float | None]
    """The mid-p value of McNemar's test on them; absent without tasks."""
    passes: Passes
    """Number of tasks by which run passes them."""
    tasks: list[PairTask]
    """Tasks with tests in at least one run, in the dataset's order."""


class RunProgress(TypedDict):
    """A run's progress, as sent to the browser."""
    begun: bool
    """Whether the engine has started the run: first it prepares itself, which can take a while."""
    behind: NotRequired[RunId | None]
    done: int
    """Finished outputs."""
    failed: int
    """Of these, engine errors."""
    items: int
    """Total number of outputs."""
    lacks_sources: bool
    """Whether no process works on it and this one does not, because it has no sources of the projects that the tests
    need.
    """
    left_s: NotRequired[int | None]
    """Estimated seconds left; absent until there is enough data."""
    status: RunStatus
    """The state."""
    verdicts: list[list[Verdict | int]]
    """Number of outputs per verdict so far; only verdicts that occur."""


class RunRow(TypedDict):
    """A row of the list of runs."""
    conversations: bool
    """Whether the tasks are conversations: each turn of a task then counts as a task in the figures."""
    created_at: Timestamp
    """Start time."""
    dataset: str
    """Short name of the dataset."""
    done: int
    """Finished outputs."""
    failed: int
    """Of these, engine errors."""
    finished_at: NotRequired[Timestamp | None]
    id: RunId
    """The run."""
    items: int
    """Total number of outputs."""
    lacks_sources: bool
    """As in [`RunProgress`]."""
    metrics: Metrics
    """The figures so far."""
    model_name: str
    """Its model."""
    number: int
    """The dataset's version."""
    published: NotRequired[AsPublished | None]
    status: RunStatus
    submission: SubmissionId
    """Its submission."""

RunStatus: TypeAlias = "Literal['running', 'finished', 'stopped']"
"""The state of a run."""

SandboxCheck: TypeAlias = """(
    Literal['right_code', 'wrong_code', 'host_files', 'writes', 'scratch_size', 'scratch_code', 'own_memory',
    'sockets', 'processes', 'shared_state', 'unsafe_memory', 'native_binding', 'libraries', 'borrowed_access',
    'foreign_memory', 'descriptor_by_reflection', 'descriptor_by_number', 'forged_results', 'expected_values',
    'confirmation', 'early_exit', 'changed_defaults', 'lying_equality']
)"""
"""A check of the sandbox: a program that tries to break one isolation layer, and the verdict that it must get."""


class SavedRubric(TypedDict):
    """The result of saving a rubric."""
    new: bool
    """Whether this version was created; otherwise the newest one is identical."""
    slug: str
    """Short name."""
    version: int
    """Its newest version."""

Scope: TypeAlias = "Literal['read', 'write:data', 'write:runs', 'write:studies', 'admin']"
"""A permission of a token. Every scope includes reading."""


class Selection(TypedDict):
    """The selection of a comparison. A `None` list selects everything; an empty list selects nothing."""
    dataset: str
    """Short name of the dataset."""
    models: NotRequired[list[ModelId] | None]
    """The models, in display order."""
    nl_lang: NotRequired[Lang | None]
    raters: NotRequired[list[UserId] | None]
    """Only ratings by these people."""
    runs: NotRequired[list[RunId] | None]
    """Runs whose verdicts count: at most one per model."""
    scores: NotRequired[CountedScores]
    """Raw or adjudicated scores."""
    studies: NotRequired[list[StudyId] | None]
    """Studies whose ratings count, all with one rubric."""

Setting: TypeAlias = """(
    Literal['locale', 'time_zone', 'standard_input', 'standard_output', 'standard_error', 'system_properties',
    'security_properties', 'exception_handler']
)"""
"""A process-wide setting that tests rely on."""

Shape: TypeAlias = """(
    Literal['aixbench', 'human_eval_x', 'code_if_bench', 'classes', 'human_eval', 'eval_plus', 'bigcode', 'lm_eval',
    'inspect', 'multipl_e', 'openai_batch', 'anthropic_batch', 'table']
)"""
"""The format that an output was read from."""


class Share(TypedDict):
    """A share with its interval."""
    interval: NotRequired[Interval | None]
    of: int
    """What it is a share of: answers, or for forgetting, rounds."""
    value: float
    """The share, from 0 to 1; 0 where nothing was counted."""

Sharing: TypeAlias = "Literal['count', 'language', 'hand']"
"""How the work is shared among raters."""


class SignExit(TypedDict):
    """Ends the program."""
    kind: Literal['exit']


class SignProcess(TypedDict):
    """Starts a process."""
    kind: Literal['process']


class SignNative(TypedDict):
    """Uses native code."""
    kind: Literal['native']


class SignReflection(TypedDict):
    """Inspects the environment that it runs in by reflection."""
    kind: Literal['reflection']


class SignDescriptor(TypedDict):
    """Uses file descriptors."""
    kind: Literal['descriptor']


class SignHost(TypedDict):
    """Accesses files of the host."""
    kind: Literal['host']


class SignNetwork(TypedDict):
    """Opens sockets."""
    kind: Literal['network']


class SignDefaults(TypedDict):
    """Changes process-wide defaults."""
    kind: Literal['defaults']


class SignEquals(TypedDict):
    """Has an equality of its own, which a test might trust."""
    kind: Literal['equals']


class SignThreads(TypedDict):
    """Starts threads."""
    kind: Literal['threads']


class SignThreadsLeft(TypedDict):
    """Threads still ran when the tests were over."""
    count: int
    """How many."""
    kind: Literal['threads_left']


class SignUnconfirmed(TypedDict):
    """The pass could not be repeated outside of the program's process."""
    kind: Literal['unconfirmed']

Sign: TypeAlias = """(
    SignExit
    | SignProcess
    | SignNative
    | SignReflection
    | SignDescriptor
    | SignHost
    | SignNetwork
    | SignDefaults
    | SignEquals
    | SignThreads
    | SignThreadsLeft
    | SignUnconfirmed
)"""
"""The subject of a [`Flag`]."""


class Slice(TypedDict):
    """A slice of a comparison's tasks."""
    of: SliceOf
    tasks: int
    """Tasks with ratings or tests in the slice. A task can be in several slices by difficulty, each for other models.
    """

SliceBy: TypeAlias = "Literal['difficulty', 'length', 'code_lang', 'nl_lang']"
"""The attribute by which tasks are sliced."""


class SliceFigure(TypedDict):
    """A model's figure over the tasks of a slice."""
    interval: NotRequired[Interval | None]
    tasks: int
    """Tasks behind it."""
    value: NotRequired[float | None]
    """`None` without tasks."""


class SliceMetric(TypedDict):
    """A metric over each slice."""
    adjusted: list[bool]
    """Whether the means over all tasks, and over those of each slice, are adjusted for tasks, because the models have
    different ones.
    """
    all: list[SliceFigure]
    """Figures over all tasks, one per model: those of the comparison."""
    dimension: NotRequired[BoardDimension | None]
    slices: list[list[SliceFigure]]
    """Figures over the tasks of each slice, one per model."""


class SliceOfDifficulty(TypedDict):
    difficulty: Difficulty


class SliceOfLengthValue(TypedDict):
    """Characters of the shortest and of the longest description."""
    longest: int
    shortest: int


class SliceOfLength(TypedDict):
    """Characters of the shortest and of the longest description."""
    length: SliceOfLengthValue
    """Characters of the shortest and of the longest description."""


class SliceOfCodeLang(TypedDict):
    code_lang: CodeLang


class SliceOfNlLang(TypedDict):
    nl_lang: Lang

SliceOf: TypeAlias = "SliceOfDifficulty | SliceOfLength | SliceOfCodeLang | SliceOfNlLang"
"""What the tasks of a slice have in common."""


class Slices(TypedDict):
    """A comparison's results by slices of tasks."""
    by: SliceBy
    computing: NotRequired[bool]
    """Whether the first figures are being computed, so that there are none yet."""
    metrics: list[SliceMetric]
    """The dimensions with ratings, then pass@1 if there are tests."""
    models: list[list[int | str]]
    """The compared models, in the order of every list below."""
    nl_langs: int
    """Languages of the descriptions of the tasks with ratings or tests."""
    slices: list[Slice]
    """The slices with tasks, in order. A single one has all tasks."""
    tested: int
    """Models with a test run: their verdicts say how difficult a task is."""


class SourceLine(TypedDict):
    """A line of the compiled source."""
    code: Line
    """The line."""
    flags: list[Sign]
    """The warnings on it."""
    messages: list[str]
    """The compiler's messages on it."""
    origin: Origin
    """Its origin."""


class Status(TypedDict):
    """Request to change a study's state."""
    status: StudyStatus
    """The new state."""


class StopReasonAdmin(TypedDict):
    """An admin stopped it."""
    kind: Literal['admin']


class StopReasonMaxRequests(TypedDict):
    """`max_requests` is used up."""
    kind: Literal['max_requests']


class StopReasonMaxTokens(TypedDict):
    """Another request could use more than `max_tokens`."""
    kind: Literal['max_tokens']


class StopReasonRefused(TypedDict):
    """The endpoint refuses every request, such as for a wrong key."""
    kind: Literal['refused']
    text: RequestFault
    """The endpoint refuses every request, such as for a wrong key."""


class StopReasonRefusedFieldText(TypedDict):
    """The endpoint refuses a field of every request."""
    fault: RequestFault
    """The endpoint's words."""
    field: str
    """The field, such as `temperature`."""


class StopReasonRefusedField(TypedDict):
    """The endpoint refuses a field of every request."""
    kind: Literal['refused_field']
    text: StopReasonRefusedFieldText
    """The endpoint refuses a field of every request."""


class StopReasonFailing(TypedDict):
    """Several requests in a row failed; why the last one did."""
    kind: Literal['failing']
    text: RequestFault
    """Several requests in a row failed; why the last one did."""


class StopReasonInternal(TypedDict):
    """The server had an internal error; its number in the log."""
    kind: Literal['internal']
    text: str
    """The server had an internal error; its number in the log."""


class StopReasonTests(TypedDict):
    """Why the tests of answers could not run, so that the next request is unknown. The answers are kept, and are tested
    when the collection is resumed.
    """
    kind: Literal['tests']
    text: Fault
    """Why the tests of answers could not run, so that the next request is unknown. The answers are kept, and are tested
    when the collection is resumed.
    """

StopReason: TypeAlias = """(
    StopReasonAdmin
    | StopReasonMaxRequests
    | StopReasonMaxTokens
    | StopReasonRefused
    | StopReasonRefusedField
    | StopReasonFailing
    | StopReasonInternal
    | StopReasonTests
)"""
"""Why a collection stopped."""


class StudyDetail(TypedDict):
    """A study's page without its comparison."""
    dimensions: list[Dimension]
    """The rubric's dimensions."""
    raters: list[RaterProgress]
    """Progress of each rater."""
    raters_per_output: int
    """Raters per output."""
    row: StudyRow
    rubric: str
    """Name and version of the rubric."""
    seed: str
    """Seed of the order. A string, because JavaScript numbers are exact only up to 2^53."""

StudyId: TypeAlias = "int"
"""A grading campaign."""


class StudyLeaks(TypedDict):
    """Outputs of a study that name a model to its raters."""
    count: int
    """Number of outputs that raters of the study see and that name a model. Masked submissions have none."""
    names: list[str]
    """The names, in lower case."""
    submissions: list[SubmissionLeaks]
    """Submissions with such outputs."""
    unread: bool
    """Whether some outputs were not searched, because there are many."""


class StudyOption(TypedDict):
    """A study that can be selected."""
    archived: bool
    """Whether it is archived: then it is not selected by default."""
    id: StudyId
    """The study."""
    open: bool
    """Whether it still accepts ratings."""
    ratings: int
    """Ratings that count."""
    rubric: str
    """Its rubric's name and version: only studies of one rubric can be combined."""
    title: str
    """Its title."""


class StudyRow(TypedDict):
    """A row of the study list."""
    created_at: Timestamp
    dataset: str
    """Short name of the dataset."""
    disagreements: int
    """Disagreements that wait for an adjudicator."""
    done: int
    """Ratings submitted."""
    due: NotRequired[Day | None]
    flags: int
    """Flags without a reply."""
    id: StudyId
    """The study."""
    idle: int
    """Raters of a running study who have work left and did nothing for [`IDLE_DAYS`]."""
    models: list[str]
    raters: int
    """Number of raters."""
    status: StudyStatus
    title: str
    """Its title."""
    token: Token
    """Opaque token used on the raters' side."""
    waiting: int
    """Everything of the study that waits for an admin, these included."""
    wanted: int
    """Ratings needed: outputs × raters per output."""


class StudySettings(TypedDict):
    """What admins set about a study: how its work is planned, and how its quality is controlled. Stored as one JSON
    object, in which the fields of [`QualitySettings`] are on the same level as the others.
    """
    break_minutes: NotRequired[int]
    """Minutes of work without a pause after which raters read that a break helps; 0 for never. At most [`BREAK_MOST`].
    """
    calibration: NotRequired[CalibrationMode]
    """How known-score items open the study."""
    due: NotRequired[Day | None]
    fast_limit: NotRequired[int]
    """Number of items below the minimum time in a window that exceeds the limit."""
    known_item_every: NotRequired[int]
    """Insert a hidden check with known scores about every N outputs; 0 for none, otherwise at least 2."""
    limit_action: NotRequired[LimitAction]
    """The consequence of exceeding a limit."""
    limit_window: NotRequired[int]
    """Length of a window, in items that the rater rated. Limits are checked at its end only, so the moment says nothing
    about a single item.
    """
    min_seconds: NotRequired[int]
    """Minimum time for an item, in seconds; 0 for no limit. Items are outputs and hidden checks alike."""
    missed_limit: NotRequired[int]
    """Number of missed hidden known-score items in a window that exceeds the limit, at least 2; 0 for no limit."""
    needed: NotRequired[int]
    """With `must_pass`, the number of items that must be correct on every dimension; otherwise 0."""
    policy: NotRequired[Policy]
    """How disagreements are resolved."""
    repeat_apart: NotRequired[int]
    """Minimum number of outputs between an output and its repeat."""
    repeat_every: NotRequired[int]
    """Repeat an output that the rater has rated before about every N outputs; 0 for none, otherwise at least 2."""
    shown: NotRequired[FeedbackLevel]
    """The figures about themselves that raters see."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of an output on a dimension that is not a disagreement; `None` for no
    limit.
    """
    spread_correctness: NotRequired[int | None]
    """Overrides `spread` for correctness."""
    tolerance: NotRequired[int]
    """How many levels a score may differ from the known score on each dimension and still be correct; 0 is exact.
    """
    answers: NotRequired[RatedAnswers]
    """Which answers of a conversation are rated."""
    pace_s: NotRequired[int | None]
    """Expected seconds per rating, at least 1; `None` to use the measured value."""
    presentation: NotRequired[Presentation]
    """How outputs are shown to raters."""
    raters_per_output: NotRequired[int]
    """Raters per output, 1 to the number of raters."""
    sharing: NotRequired[Sharing]
    """How the work is shared."""
    tasks: NotRequired[int | None]
    """Limits the number of tasks, for a pilot; `None` for all."""

StudyStatus: TypeAlias = "Literal['draft', 'running', 'paused', 'closed']"
"""Status of a study."""

SubmissionId: TypeAlias = "int"
"""One upload of a model's outputs."""


class SubmissionLeaks(TypedDict):
    """Outputs of a submission that name a model."""
    count: int
    """Number of outputs."""
    identity_leaks: list[IdentityLeak]
    """The leaks, at most [`PREVIEW_LIST`]."""
    model: str
    """Its model."""
    submission: SubmissionId


class SubmissionRow(TypedDict):
    """A row of the submission list."""
    collection: NotRequired[CollectionId | None]
    created_at: Timestamp
    """When it was imported."""
    dataset: str
    """Short name of the dataset."""
    file: str
    """The file's name as uploaded."""
    for_people: bool
    """Whether its dataset has tasks for people."""
    has_tests: bool
    """Whether it has outputs for tasks with tests."""
    id: SubmissionId
    """The submission."""
    left_out: int
    """Number of invalid lines of the file that were left out; 0 if the file was imported as a whole."""
    missing: int
    """Number of tasks of its dataset version without an output. They count as failed in every figure of tests."""
    model: ModelId
    """Its model."""
    model_name: str
    """The model's name."""
    number: int
    """The version of the dataset."""
    outputs: int
    """Number of outputs."""
    tasks: int
    """Number of tasks with an output."""
    way: NotRequired[Way | None]

Sums: TypeAlias = "Literal['memory', 'threads', 'memory_and_threads']"
"""The resources that control groups limit."""


class Table(TypedDict):
    """The columns of an uploaded table of outputs."""
    chosen: dict[str, str]
    """The columns that an admin chose: ours to the file's."""
    fields: list[TableField]
    """The columns of the format, each with the file's."""
    names: list[str]
    """The file's columns, by name."""


class TableField(TypedDict):
    """A column of a format."""
    column: NotRequired[str | None]
    """The file's column; absent if there is none."""
    name: str
    """Its name: `task_id`, `code`, `rater`, a dimension's key."""
    needed: bool
    """Whether it is required."""


class TaskCell(TypedDict):
    """One model's part of a task."""
    means: list[float | None]
    """Mean score per dimension."""
    ratings: int
    """Ratings that count."""
    verdict: NotRequired[list[Verdict | int] | None]
    """The first sample's verdict with passed and total."""

TaskId: TypeAlias = "int"
"""A task, with all its revisions."""


class TaskLine(TypedDict):
    """One task of the list."""
    cells: list[TaskCell]
    """One entry per model."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of one output on one dimension; `None` if no output has two ratings."""
    task: TaskRow


class TaskModelScores(TypedDict):
    """One model's scores on one task."""
    means: list[float | None]
    """Mean score per dimension; `None` without ratings."""
    ratings: int
    """Number of ratings."""


class TaskRatings(TypedDict):
    """One task with every model's output and every rating."""
    outputs: list[OutputRatings]
    """Every model's outputs."""
    rubric: Rubric
    task: TaskRow
    title: str

TaskRevisionId: TypeAlias = "int"
"""One revision of a task; outputs belong to it."""


class TaskRow(TypedDict):
    """A task in one revision."""
    checks: Checks
    """How its outputs are checked."""
    code_lang: CodeLang
    """The requested programming language; Java in bundles that are older than this field."""
    id: TaskId
    """The task."""
    nl_lang: Lang
    raw_nl: str
    """The description (`raw_nl`), unchanged."""
    revision: TaskRevisionId
    """Revision of the task."""
    signature: NotRequired[str | None]
    """Requested signature, if any."""
    task_id: str
    """The source's `task_id`."""


class TaskScores(TypedDict):
    """A row of the table of tasks."""
    models: list[TaskModelScores]
    """One entry per model."""
    spread: NotRequired[int | None]
    """Largest difference between two ratings of one output on one dimension; `None` if no output has two ratings."""
    task: TaskRow


class TestPartTurn(TypedDict):
    """The tests of a turn of a conversation, from 0."""
    turn: int
    """The tests of a turn of a conversation, from 0."""

TestPart: TypeAlias = "Literal['tests'] | Literal['examples'] | Literal['reference'] | TestPartTurn"
"""A part of what judges the outputs of a task."""

TestProfile: TypeAlias = "Literal['as-run', 'as-released', 'v1']"
"""Which form of the benchmark's tests a run uses."""


class TestText(TypedDict):
    """A text that judges the outputs of a task, or its reference solution."""
    code: CodeView
    part: TestPart


class TestedAnswer(TypedDict):
    """What the tests of an answer showed in a dynamic conversation."""
    checks: list[TurnCheck]
    """Whether the answer passes the tests of each instruction of the conversation alone."""
    failure: str
    """Why it fails those of its own instruction, as the model is told; empty if it passes."""


class TestsAndRatings(TypedDict):
    """Test results compared with ratings."""
    bins: list[Bin]
    """With more outputs: counts per cell of a grid."""
    dimension: int
    """Index of the dimension that is compared with the pass ratio."""
    parting: list[Point]
    """The outputs on which tests and people disagree most, at most [`TestsAndRatings::PARTING`]."""
    points: list[Point]
    """Every output with both, if there are at most [`TestsAndRatings::SINGLY`]; otherwise empty."""
    rows: list[Related]
    """One row per model, then one for all models together."""


class TheirVerdict(TypedDict):
    """A verdict that came with an output: of a benchmark's authors, or of the tool that wrote the file."""
    other_text: bool
    """Whether they computed it from another text than the output."""
    passed: bool


class TheirVerdicts(TypedDict):
    """The verdicts of another tool that a file has about its outputs."""
    lines: int
    """Matched lines with a verdict."""
    passed: int
    """Those that pass by it."""

Timestamp: TypeAlias = "int"
"""Milliseconds since 1970-01-01T00:00:00Z. Created by the server only: a clock in a view would differ between server
and browser.
"""


class ToRunAgain(TypedDict):
    """A run with results of removed workers."""
    outputs: int
    """How many of its results removed workers reported."""
    run: RunId
    """The run."""

Token: TypeAlias = "str"
"""The opaque name of an object that a rater may see: 128 random bits as 32 hexadecimal digits."""


class TokenRow(TypedDict):
    """A token in its owner's list. The secret is shown only once, on creation."""
    created_at: Timestamp
    expires_at: Timestamp
    id: ApiTokenId
    label: str
    """Label given by the owner."""
    last_used_at: NotRequired[Timestamp | None]
    live: bool
    """Whether it is neither expired nor revoked."""
    owner: str
    """Name of the person that the token acts as."""
    prefix: str
    """First characters of the secret, to recognize the token."""
    revoked_at: NotRequired[Timestamp | None]
    scopes: list[Scope]


class TokenUse(TypedDict):
    """The tokens of a model's outputs, as far as the files of the outputs report them."""
    generated: NotRequired[float | None]
    """Mean number of generated tokens of these; `None` if there are none."""
    outputs: int
    """Outputs of the compared submissions."""
    prompt: NotRequired[float | None]
    """Mean number of tokens of the prompt, over the outputs that have it."""
    reported: int
    """How many of them have a number of generated tokens."""


class TurnCheck(TypedDict):
    """Whether an answer fulfils one turn, by the tests of that turn alone."""
    guarded: bool
    """Whether the tests also ran to their end."""
    published: bool
    """By exit code, as published."""
    turn: int


class UndefinedDisconnected(TypedDict):
    """The raters form this many groups without a common output."""
    disconnected: int
    """The raters form this many groups without a common output."""

Undefined: TypeAlias = """(
    Literal['nothing']
    | Literal['too_few']
    | Literal['no_pairs']
    | Literal['no_variation']
    | Literal['not_crossed']
    | Literal['no_divisor']
    | UndefinedDisconnected
    | Literal['several_samples']
    | Literal['unstable']
)"""
"""Reason why a figure is undefined."""


class Upkeep(TypedDict):
    """An object of an admin's as its upkeep page shows it."""
    archived_at: NotRequired[Timestamp | None]
    can_rename: bool
    """Whether the name can be changed; a short name cannot, because files and programs refer to it."""
    deleted: bool
    """Whether it is deleted and this can still be undone."""
    deleted_with: list[Dependent]
    """Data that a deletion deletes with it."""
    in_use: list[Dependent]
    """Work and objects that refer to it, which a deletion would lose. If there are any, it cannot be deleted."""
    name: str
    """A study's title, the model of a submission, a dataset's or rubric's short name."""
    studies: NotRequired[list[list[int | str]]]
    """The first of the studies among them, with their titles."""


class Upload(TypedDict):
    """An uploaded file."""
    upload: UploadId

UploadId: TypeAlias = "int"
"""An uploaded file that is not yet imported."""


class UploadRow(TypedDict):
    """An uploaded file of outputs."""
    by: NotRequired[str | None]
    """The person who uploaded it; absent for the command line."""
    bytes: int
    """Its size in bytes."""
    created_at: Timestamp
    """When it was uploaded."""
    dataset: NotRequired[str | None]
    """Short name of the dataset that was named with the file."""
    file: str
    """The file's name as uploaded."""
    id: UploadId
    """The upload."""
    state: UploadState


class UploadStateImportingValue(TypedDict):
    """Its outputs are being stored."""
    stored: int
    """Outputs that are stored."""
    total: int
    """Outputs that will be stored."""


class UploadStateImporting(TypedDict):
    """Its outputs are being stored."""
    importing: UploadStateImportingValue
    """Its outputs are being stored."""


class UploadStateImportedValue(TypedDict):
    """It is imported."""
    model: str
    """The model of that submission."""
    submission: SubmissionId
    """Its newest submission."""


class UploadStateImported(TypedDict):
    """It is imported."""
    imported: UploadStateImportedValue
    """It is imported."""

UploadState: TypeAlias = "Literal['waiting'] | UploadStateImporting | UploadStateImported"
"""The state of an upload."""

UserId: TypeAlias = "int"
"""A person with an account."""


class UserRow(TypedDict):
    """A row of the people page."""
    alone_in: int
    """Those of them in which no other active person rates."""
    created_at: Timestamp
    """When the account was created."""
    disabled: bool
    """Whether the account is deactivated."""
    groups: list[GroupName]
    """The groups that they are in."""
    id: UserId
    """The account."""
    name: str
    """The username."""
    open_ratings: int
    """Unfinished ratings that studies which are not closed have planned for them."""
    open_studies: int
    """Number of these studies."""
    ratings: int
    """Number of ratings, without replaced ones."""
    reads: Reads
    """Languages they read, which decide what they get in studies shared by language."""
    role: Role
    """The role."""
    seen_at: NotRequired[Timestamp | None]

Verdict: TypeAlias = """(
    Literal['passed', 'failed', 'compile_error', 'timeout', 'out_of_memory', 'crashed', 'no_result', 'tampered',
    'anomaly']
)"""
"""The result of one output's tests."""


class VersionRow(TypedDict):
    """An imported version of a dataset."""
    changed: int
    """Number of tasks that differ from, or are missing in, the previous version."""
    id: DatasetVersionId
    """The version."""
    imported_at: Timestamp
    """When it was imported."""
    number: int
    """Version number, from 1."""
    tasks: int
    """Number of tasks."""


class Versus(TypedDict):
    """The difference of a model and its baseline."""
    difference: Estimated
    """Model minus baseline, over the common tasks."""
    p: NotRequired[float | None]
    """Its p-value after Holm's correction over all pairs of the dataset's comparison."""
    significant: bool
    """Whether interval and test agree that the two differ."""
    tasks: int
    """Common tasks."""
    test: NotRequired[DecidingTest | None]
    uncorrected_p: NotRequired[float | None]
    """Its p-value before correction."""

Via: TypeAlias = "Literal['session', 'token', 'command_line']"
"""By which way a change came."""


class Waiting(TypedDict):
    """Why a running collection does not send a request yet."""
    fault: RequestFault
    """Why the endpoint did not answer it."""
    until: Timestamp
    """When it sends the request again."""

WarningKind: TypeAlias = """(
    Literal['does_not_parse', 'other_language', 'lacks_definition', 'cut_off', 'fenced_generation', 'reasoning',
    'several_candidates', 'repeated']
)"""
"""Why a preview warns about an output."""

Way: TypeAlias = "Literal['base', 'single', 'multi', 'n', 'dynamic']"
"""How a model was asked for the outputs of a submission."""


class WayResults(TypedDict):
    """A model's results in one way."""
    authors: NotRequired[AuthorComparison | None]
    guarded: NotRequired[Share | None]
    kinds: list[list[InstructionKind | Share]]
    """As published, by kind of instruction; only kinds that occur."""
    profile: NotRequired[TestProfile | None]
    published: Share
    """Answers that pass as published, of those with such a verdict."""
    run: NotRequired[RunId | None]
    submission: SubmissionId
    way: Way

WebhookEvent: TypeAlias = "Literal['run.ended', 'study.closed', 'test']"
"""Events that a webhook can subscribe to."""

WebhookId: TypeAlias = "int"
"""An address that receives messages about events."""


class WebhookRow(TypedDict):
    """An address that receives messages about events."""
    allowed: bool
    """Whether the operator currently allows this host."""
    created_at: Timestamp
    events: list[WebhookEvent]
    """Subscribed events."""
    id: WebhookId
    last: NotRequired[DeliveryRow | None]
    url: str
    """URL that receives the messages."""


class WhyDefines(TypedDict):
    """It is the only block that defines this name, which the task asks for."""
    defines: str
    """It is the only block that defines this name, which the task asks for."""


class WhyLastVersion(TypedDict):
    """Of several blocks that define this name, it is the last complete one."""
    last_version: str
    """Of several blocks that define this name, it is the last complete one."""

Why: TypeAlias = """(
    Literal['whole']
    | Literal['no_answer']
    | Literal['only']
    | WhyDefines
    | WhyLastVersion
    | Literal['chosen']
    | Literal['first']
)"""
"""Why the code of a response is the output."""


class Wilcoxon(TypedDict):
    """Wilcoxon's signed-rank test, two-sided."""
    method: Method
    minus: float
    """Rank sum of the negative differences."""
    n: int
    """Number of non-zero differences."""
    p: float
    plus: float
    """Rank sum of the positive differences."""
    zeros: int
    """Number of zero differences, which are dropped."""


class Winning(TypedDict):
    """The alternative annotator test for one value of epsilon."""
    epsilon: float
    """The share of outputs that the judge may lose because it costs less than a rater."""
    raters: int
    """Raters against whom the judge wins."""


class WorkerAbility(TypedDict):
    """A kind of jobs that a worker was asked to run."""
    checks: int
    """Number of sandbox checks that ran."""
    failed: list[FailedCheck]
    """The sandbox checks that failed. Unless there are none, the worker gets no such jobs."""
    fault: NotRequired[Fault | None]
    kind: str
    """The queue: `java-classes` for Java test classes, otherwise a language."""
    toolchain: str
    """The toolchain's version."""


class WorkerRow(TypedDict):
    """A worker."""
    abilities: list[WorkerAbility]
    """What it runs."""
    build: str
    """Its build: the beginning of the SHA-256 of the program."""
    done: int
    """Outputs that it has run since it started."""
    host: str
    """Its host."""
    last_seen: Timestamp
    """When the server last heard it."""
    name: str
    """Its name: its host and a random part."""
    per_minute: float
    """Outputs per minute, since the server first heard it."""
    running: int
    """Outputs in progress."""
    slots: int
    """Number of outputs that it runs at a time."""
    state: WorkerState
    """Whether it gets jobs."""
    unanswered: int
    """Jobs that it began and did not report, since the server first heard it."""
    version: str
    """Its version of AixGrade."""

WorkerState: TypeAlias = "Literal['ready', 'draining', 'removed', 'other_build', 'failed_checks', 'gone']"
"""Whether a worker gets jobs, and otherwise why not."""


class Workers(TypedDict):
    """The workers of a server that was started with `--nats`."""
    connected: bool
    """Whether the server reaches the broker."""
    lost_jobs: int
    """Jobs that the broker lost since the server started, and that were published again."""
    queues: list[QueueRow]
    """The queues that have jobs, or had some lately."""
    refused_results: int
    """Results that were refused since the server started: of an older attempt, of another build, or unreadable."""
    to_run_again: list[ToRunAgain]
    """Runs with results of workers that an admin removed, which are to be run again."""
    workers: list[WorkerRow]
    """Every worker that was heard in the last minutes, by name."""


class Workload(TypedDict):
    """What the work that quality settings add depends on."""
    both: int
    """Active known-score items of both pools: hidden checks only where there is no calibration."""
    calibration: int
    """Active known-score items that every rater gets in a calibration, those of both pools included."""
    hidden: int
    """Active known-score items that come as hidden checks only."""
    ratings: int
    """Ratings of the study's outputs that a rater gives, on average; 0 without raters."""
    side_by_side: bool
    """Whether outputs are rated side by side, where hidden checks do not exist."""


class Operations(Transport):
    """One method for each operation of the API."""

    def list_adjudications(self) -> DisagreementQueue:
        """List disagreements that you can adjudicate.

        Returns the first disagreements to adjudicate, the first adjudicated ones, and the number of each, as
        adjudicators see them: without models and names of raters.

        Scope: write:studies
        """
        answer: DisagreementQueue = self._call("GET", "/api/v1/adjudications", "json")
        return answer

    def get_adjudication(self, token: str) -> Disagreement:
        """Get a disagreement that you can adjudicate.

        token: Opaque name of the disagreement

        Scope: write:studies
        """
        answer: Disagreement = self._call("GET", f"/api/v1/adjudications/{part(token)}", "json")
        return answer

    def decide(self, token: str, body: NewDecision, *, idempotency_key: str | None = None) -> AdjudicationResult:
        """Adjudicate a disagreement.

        A later adjudication replaces an earlier one, which is kept in the history.

        token: Opaque name of the disagreement

        Scope: write:studies
        """
        answer: AdjudicationResult = self._call(
            "PUT",
            f"/api/v1/adjudications/{part(token)}",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def list_announcements(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageAnnouncement:
        """List announcements.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: admin
        """
        answer: PageAnnouncement = self._call(
            "GET",
            "/api/v1/announcements",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_announcements(self, *, search: str | None = None, sort: str | None = None) -> Iterator[Announcement]:
        """Every row of `list_announcements`, page by page."""
        answer: Iterator[Announcement] = self._rows(self.list_announcements(search=search, sort=sort, limit=200))
        return answer

    def publish_announcement(
        self,
        body: NewAnnouncement,
        *,
        idempotency_key: str | None = None,
    ) -> PublishedAnnouncement:
        """Publish an announcement.

        People see it at the top of every page until they close it, its last day ends, or it is withdrawn.

        Scope: admin
        """
        answer: PublishedAnnouncement = self._call(
            "POST",
            "/api/v1/announcements",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def withdraw_announcement(self, id: AnnouncementId, *, idempotency_key: str | None = None) -> None:
        """Withdraw an announcement.

        id: ID of the announcement

        Scope: admin
        """
        self._call("DELETE", f"/api/v1/announcements/{part(id)}", "none", keyed=True, key=idempotency_key)

    def list_archive(self) -> list[Archived]:
        """List archived objects.

        Scope: read
        """
        answer: list[Archived] = self._call("GET", "/api/v1/archive", "json")
        return answer

    def list_audit(
        self,
        *,
        person: str | None = None,
        action: str | None = None,
        object: str | None = None,
        since: int | None = None,
        until: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageEntry:
        """List the entries of the audit log.

        person: The account's name. action: The action, such as `study.create`. object: Text contained in the object or
        the details, such as `study 3`. since: From this time on. until: Before this time. limit: Number of rows, 1 to
        200; default: 50. cursor: Start of the page: the value of `next` from the previous page. Absent for the first
        page.

        Scope: admin
        """
        answer: PageEntry = self._call(
            "GET",
            "/api/v1/audit",
            "json",
            query={
                "person": person,
                "action": action,
                "object": object,
                "since": since,
                "until": until,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return answer

    def all_audit(
        self,
        *,
        person: str | None = None,
        action: str | None = None,
        object: str | None = None,
        since: int | None = None,
        until: int | None = None,
    ) -> Iterator[Entry]:
        """Every row of `list_audit`, page by page."""
        answer: Iterator[Entry] = self._rows(
            self.list_audit(person=person, action=action, object=object, since=since, until=until, limit=200),
        )
        return answer

    def list_collections(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: CollectionStatus | None = None,
        dataset: str | None = None,
        kind: str | None = None,
    ) -> PageCollectionRow:
        """List collections.

        Those of outputs and those of a judge model's scores (judgings), which have `judging`.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page. status: Only
        collections in this state dataset: Only collections for this dataset, by its short name kind: `outputs` for
        collections of outputs only, `scores` for judgings only

        Scope: read
        """
        answer: PageCollectionRow = self._call(
            "GET",
            "/api/v1/collections",
            "json",
            query={
                "search": search,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "dataset": dataset,
                "kind": kind,
            },
        )
        return answer

    def all_collections(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        status: CollectionStatus | None = None,
        dataset: str | None = None,
        kind: str | None = None,
    ) -> Iterator[CollectionRow]:
        """Every row of `list_collections`, page by page."""
        answer: Iterator[CollectionRow] = self._rows(
            self.list_collections(search=search, sort=sort, status=status, dataset=dataset, kind=kind, limit=200),
        )
        return answer

    def create_collection(self, body: NewCollection, *, idempotency_key: str | None = None) -> Created:
        """Create a collection.

        It is a draft: nothing is sent until `POST /collections/{id}/resume`.

        Scope: write:data
        """
        answer: Created = self._call("POST", "/api/v1/collections", "json", body=body, keyed=True, key=idempotency_key)
        return answer

    def plan_collection(self, body: NewCollection, *, idempotency_key: str | None = None) -> CollectionPlan:
        """Preview what a collection would send.

        Three prompts, and the cost in tokens: estimated for prompts, an upper limit for responses. Creates nothing.

        Scope: write:data
        """
        answer: CollectionPlan = self._call(
            "POST",
            "/api/v1/collections/plan",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def get_collection(self, id: CollectionId) -> CollectionDetail:
        """Get a collection with its settings.

        id: ID of the collection

        Scope: read
        """
        answer: CollectionDetail = self._call("GET", f"/api/v1/collections/{part(id)}", "json")
        return answer

    def delete_collection(self, id: CollectionId, *, idempotency_key: str | None = None) -> None:
        """Delete a collection.

        Its prompts and responses are deleted permanently, and so are a judging's scores. Submissions imported from it
        are kept.

        id: ID of the collection

        Scope: write:data
        """
        self._call("DELETE", f"/api/v1/collections/{part(id)}", "none", keyed=True, key=idempotency_key)

    def list_collection_requests(
        self,
        id: CollectionId,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: RequestStatus | None = None,
    ) -> PageRequestRow:
        """List a collection's requests.

        id: ID of the collection search: Only rows that contain all these words, ignoring case. sort: Column by which
        rows are ordered; `-` before it reverses the order, as in `-created`. The cursors of one order are not those of
        another. limit: Number of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow
        `next` until it is absent. cursor: Start of the page: the value of `next` from the previous page. Absent for the
        first page. status: Only requests in this state

        Scope: read
        """
        answer: PageRequestRow = self._call(
            "GET",
            f"/api/v1/collections/{part(id)}/requests",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor, "status": status},
        )
        return answer

    def all_collection_requests(
        self,
        id: CollectionId,
        *,
        search: str | None = None,
        sort: str | None = None,
        status: RequestStatus | None = None,
    ) -> Iterator[RequestRow]:
        """Every row of `list_collection_requests`, page by page."""
        answer: Iterator[RequestRow] = self._rows(
            self.list_collection_requests(id, search=search, sort=sort, status=status, limit=200),
        )
        return answer

    def get_collection_request(self, id: CollectionId, request: int) -> RequestDetail:
        """Get a request with its messages and its response.

        id: ID of the collection request: ID of the request

        Scope: read
        """
        answer: RequestDetail = self._call("GET", f"/api/v1/collections/{part(id)}/requests/{part(request)}", "json")
        return answer

    def resume_collection(
        self,
        id: CollectionId,
        body: CollectionResume,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """Start or resume a collection.

        id: ID of the collection

        Scope: write:data
        """
        self._call("POST", f"/api/v1/collections/{part(id)}/resume", "none", body=body, keyed=True, key=idempotency_key)

    def stop_collection(self, id: CollectionId, *, idempotency_key: str | None = None) -> None:
        """Stop a collection.

        Requests in progress are still answered.

        id: ID of the collection

        Scope: write:data
        """
        self._call("POST", f"/api/v1/collections/{part(id)}/stop", "none", keyed=True, key=idempotency_key)

    def upload_collection(self, id: CollectionId, *, idempotency_key: str | None = None) -> Upload:
        """Make an upload of a collection's responses.

        Preview and import it like any upload.

        id: ID of the collection

        Scope: write:data
        """
        answer: Upload = self._call(
            "POST",
            f"/api/v1/collections/{part(id)}/upload",
            "json",
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def compare_models(
        self,
        slug: str,
        *,
        models: str | None = None,
        studies: str | None = None,
        runs: str | None = None,
        raters: str | None = None,
        nl_lang: Lang | None = None,
        scores: str | None = None,
    ) -> ComparisonView:
        """Compare models by human ratings and tests.

        Returns every figure of the comparison page: means with intervals, differences and their tests, agreement,
        pass@k and AvgPassRatio, and the agreement of tests and people. docs/statistics.md has the formulas. The
        response's `selection` is fully resolved: it selects the same data later.

        slug: Short name of the dataset models: IDs of the models, separated by commas, in display order; default: all.
        studies: IDs of the studies whose ratings count, all with one rubric; `none` for none. runs: IDs of the runs
        whose verdicts count, at most one per model; `none` for none. raters: Only ratings by these people. nl_lang:
        Only tasks in this description language. scores: `raw` (all ratings) or `final` (adjudicated scores where they
        exist).

        Scope: read
        """
        answer: ComparisonView = self._call(
            "GET",
            f"/api/v1/comparisons/{part(slug)}",
            "json",
            query={
                "models": models,
                "studies": studies,
                "runs": runs,
                "raters": raters,
                "nl_lang": nl_lang,
                "scores": scores,
            },
        )
        return answer

    def comparison_figure(
        self,
        slug: str,
        file: str,
        *,
        width: str | None = None,
        words: Lang | None = None,
        theme: str | None = None,
        models: str | None = None,
        studies: str | None = None,
        runs: str | None = None,
        raters: str | None = None,
        nl_lang: Lang | None = None,
        scores: str | None = None,
    ) -> bytes:
        """Get a figure of a comparison.

        Named as on the comparison's page: `correctness-means.svg`, `tasks-grid.png`. As SVG, PNG (600 pixels per inch)
        or PDF, as wide as a journal's column (89 mm) or page (183 mm); with `.csv` the data behind it, with `.txt` its
        caption.

        slug: The dataset's short name file: The picture's name width: `column` (89 mm, the default) or `page` (183 mm)
        words: Language of its texts; English where absent theme: `light` or `dark` models: IDs of the models, separated
        by commas, in display order; default: all. studies: IDs of the studies whose ratings count, all with one rubric;
        `none` for none. runs: IDs of the runs whose verdicts count, at most one per model; `none` for none. raters:
        Only ratings by these people. nl_lang: Only tasks in this description language. scores: `raw` (all ratings) or
        `final` (adjudicated scores where they exist).

        Scope: read
        """
        answer: bytes = self._call(
            "GET",
            f"/api/v1/comparisons/{part(slug)}/figures/{part(file)}",
            "bytes",
            query={
                "width": width,
                "words": words,
                "theme": theme,
                "models": models,
                "studies": studies,
                "runs": runs,
                "raters": raters,
                "nl_lang": nl_lang,
                "scores": scores,
            },
        )
        return answer

    def comparison_file(
        self,
        slug: str,
        file: str,
        *,
        words: Lang | None = None,
        score_decimals: int | None = None,
        percent_decimals: int | None = None,
        models: str | None = None,
        studies: str | None = None,
        runs: str | None = None,
        raters: str | None = None,
        nl_lang: Lang | None = None,
        scores: str | None = None,
        bom: bool | None = None,
    ) -> bytes:
        """Export a comparison.

        `ratings`, `verdicts`, `outputs` and `study-ratings` have one line each and end with `.csv`, `.jsonl` or
        `.parquet`. Other files are `means.csv`, `pairs.csv`, `slices.csv`, `tables.md`, `tables.tex`, `bundle.zip`,
        from which `aixgrade report` computes the same figures, and `dataset-folder.zip`, whose folder Python's
        `datasets.load_dataset` opens. Each table of `tables.md` is also a CSV file with the same decimals: `table-
        automatic.csv`, `table-published.csv`, `table-manual.csv`, `table-differences.csv`, `table-agreement.csv`.

        slug: Short name of the dataset file: Name of the file words: Language of tables; English where absent
        score_decimals: Decimals of scores in tables, 0 to 6; 2 where absent percent_decimals: Decimals of percentages
        in tables, 0 to 6; 1 where absent models: IDs of the models, separated by commas, in display order; default:
        all. studies: IDs of the studies whose ratings count, all with one rubric; `none` for none. runs: IDs of the
        runs whose verdicts count, at most one per model; `none` for none. raters: Only ratings by these people.
        nl_lang: Only tasks in this description language. scores: `raw` (all ratings) or `final` (adjudicated scores
        where they exist). bom: `true`: a CSV file begins with a byte order mark, as Excel needs it

        Scope: read
        """
        answer: bytes = self._call(
            "GET",
            f"/api/v1/comparisons/{part(slug)}/files/{part(file)}",
            "bytes",
            query={
                "words": words,
                "score_decimals": score_decimals,
                "percent_decimals": percent_decimals,
                "models": models,
                "studies": studies,
                "runs": runs,
                "raters": raters,
                "nl_lang": nl_lang,
                "scores": scores,
                "bom": bom,
            },
        )
        return answer

    def slice_comparison(
        self,
        slug: str,
        *,
        by: SliceBy,
        models: str | None = None,
        studies: str | None = None,
        runs: str | None = None,
        raters: str | None = None,
        nl_lang: Lang | None = None,
        scores: str | None = None,
    ) -> Slices:
        """Slice a comparison by an attribute of its tasks.

        Every model's mean scores and pass@1 over the tasks that have the attribute in common, with the number of tasks
        and a 95% interval, which a slice of fewer than five tasks does not have. By difficulty, the slice of a task is
        decided by the other models, so each model has its own tasks in a slice. While `computing` is true, there are no
        figures yet.

        slug: Short name of the dataset by: Attribute of the tasks models: IDs of the models, separated by commas, in
        display order; default: all. studies: IDs of the studies whose ratings count, all with one rubric; `none` for
        none. runs: IDs of the runs whose verdicts count, at most one per model; `none` for none. raters: Only ratings
        by these people. nl_lang: Only tasks in this description language. scores: `raw` (all ratings) or `final`
        (adjudicated scores where they exist).

        Scope: read
        """
        answer: Slices = self._call(
            "GET",
            f"/api/v1/comparisons/{part(slug)}/slices",
            "json",
            query={
                "by": by,
                "models": models,
                "studies": studies,
                "runs": runs,
                "raters": raters,
                "nl_lang": nl_lang,
                "scores": scores,
            },
        )
        return answer

    def list_compared_tasks(
        self,
        slug: str,
        *,
        models: str | None = None,
        studies: str | None = None,
        runs: str | None = None,
        raters: str | None = None,
        nl_lang: Lang | None = None,
        scores: str | None = None,
        q: str | None = None,
        task_nl_lang: Lang | None = None,
        model: int | None = None,
        score: str | None = None,
        verdict: str | None = None,
        spread: int | None = None,
        differ: str | None = None,
        sort: str | None = None,
        order: str | None = None,
        cursor: int | None = None,
    ) -> PageTaskLine:
        """List the tasks of a comparison.

        A hundred per page, with every model's mean scores and verdict.

        slug: Short name of the dataset models: IDs of the models, separated by commas, in display order; default: all.
        studies: IDs of the studies whose ratings count, all with one rubric; `none` for none. runs: IDs of the runs
        whose verdicts count, at most one per model; `none` for none. raters: Only ratings by these people. nl_lang:
        Only tasks in this description language. scores: `raw` (all ratings) or `final` (adjudicated scores where they
        exist). q: Text contained in the task's ID or description. task_nl_lang: The description's language. model: ID
        of the model to which `score` and `verdict` apply; any model if absent. score: A dimension's key, a dot and a
        score that a rater gave: `correctness.4`. verdict: A verdict of any output, such as `passed` or `compile_error`.
        spread: Tasks with two ratings of one output that differ by at least this much. differ: `1`: tasks whose
        verdicts or mean scores differ between the models. sort: `spread`, `gap` or `difference`; or a model's ID, a dot
        and a dimension's key or `tests`, for the tasks with that model's highest values first; default: the dataset's
        order. order: `reverse`: the lowest values of a model first. cursor: Start of the page: the value of `next` from
        the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageTaskLine = self._call(
            "GET",
            f"/api/v1/comparisons/{part(slug)}/tasks",
            "json",
            query={
                "models": models,
                "studies": studies,
                "runs": runs,
                "raters": raters,
                "nl_lang": nl_lang,
                "scores": scores,
                "q": q,
                "task_nl_lang": task_nl_lang,
                "model": model,
                "score": score,
                "verdict": verdict,
                "spread": spread,
                "differ": differ,
                "sort": sort,
                "order": order,
                "cursor": cursor,
            },
        )
        return answer

    def all_compared_tasks(
        self,
        slug: str,
        *,
        models: str | None = None,
        studies: str | None = None,
        runs: str | None = None,
        raters: str | None = None,
        nl_lang: Lang | None = None,
        scores: str | None = None,
        q: str | None = None,
        task_nl_lang: Lang | None = None,
        model: int | None = None,
        score: str | None = None,
        verdict: str | None = None,
        spread: int | None = None,
        differ: str | None = None,
        sort: str | None = None,
        order: str | None = None,
    ) -> Iterator[TaskLine]:
        """Every row of `list_compared_tasks`, page by page."""
        answer: Iterator[TaskLine] = self._rows(
            self.list_compared_tasks(
                slug,
                models=models,
                studies=studies,
                runs=runs,
                raters=raters,
                nl_lang=nl_lang,
                scores=scores,
                q=q,
                task_nl_lang=task_nl_lang,
                model=model,
                score=score,
                verdict=verdict,
                spread=spread,
                differ=differ,
                sort=sort,
                order=order,
            ),
        )
        return answer

    def get_compared_task(
        self,
        slug: str,
        task: TaskId,
        *,
        models: str | None = None,
        studies: str | None = None,
        runs: str | None = None,
        raters: str | None = None,
        nl_lang: Lang | None = None,
        scores: str | None = None,
    ) -> ComparedTask:
        """Get a task with every model's outputs, ratings and verdicts.

        slug: Short name of the dataset task: ID of the task models: IDs of the models, separated by commas, in display
        order; default: all. studies: IDs of the studies whose ratings count, all with one rubric; `none` for none.
        runs: IDs of the runs whose verdicts count, at most one per model; `none` for none. raters: Only ratings by
        these people. nl_lang: Only tasks in this description language. scores: `raw` (all ratings) or `final`
        (adjudicated scores where they exist).

        Scope: read
        """
        answer: ComparedTask = self._call(
            "GET",
            f"/api/v1/comparisons/{part(slug)}/tasks/{part(task)}",
            "json",
            query={
                "models": models,
                "studies": studies,
                "runs": runs,
                "raters": raters,
                "nl_lang": nl_lang,
                "scores": scores,
            },
        )
        return answer

    def get_conversations(self) -> ConversationResults:
        """Get every model's newest run in each way of CodeIF-Bench.

        Pass rates by way and kind of instruction, accuracy and forgetting by round, the leaderboard's column L-1, and
        how the verdicts compare with those that the authors published.

        Scope: read
        """
        answer: ConversationResults = self._call("GET", "/api/v1/conversations", "json")
        return answer

    def list_datasets(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        code_lang: str | None = None,
        check: str | None = None,
    ) -> PageDatasetRow:
        """List datasets.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page. code_lang:
        Only datasets with tasks in this programming language, such as `java` check: Only datasets with tasks for
        raters, `human`, or with tests, `tests`

        Scope: read
        """
        answer: PageDatasetRow = self._call(
            "GET",
            "/api/v1/datasets",
            "json",
            query={
                "search": search,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
                "code_lang": code_lang,
                "check": check,
            },
        )
        return answer

    def all_datasets(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        code_lang: str | None = None,
        check: str | None = None,
    ) -> Iterator[DatasetRow]:
        """Every row of `list_datasets`, page by page."""
        answer: Iterator[DatasetRow] = self._rows(
            self.list_datasets(search=search, sort=sort, code_lang=code_lang, check=check, limit=200),
        )
        return answer

    def get_dataset(self, slug: str, *, version: DatasetVersionId | None = None) -> Dataset:
        """Get a dataset.

        slug: Short name of the dataset version: ID of the version; default: the newest.

        Scope: read
        """
        answer: Dataset = self._call("GET", f"/api/v1/datasets/{part(slug)}", "json", query={"version": version})
        return answer

    def set_dataset_rubric(
        self,
        slug: str,
        body: DefaultRubric,
        *,
        idempotency_key: str | None = None,
    ) -> DefaultRubric:
        """Set the default rubric of a dataset.

        New studies and imported ratings use it; existing studies keep theirs.

        slug: Short name of the dataset

        Scope: write:studies
        """
        answer: DefaultRubric = self._call(
            "PUT",
            f"/api/v1/datasets/{part(slug)}/rubric",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def list_rubric_choices(self, slug: str) -> RubricChoices:
        """List the rubrics for a new study of a dataset.

        slug: Short name of the dataset

        Scope: read
        """
        answer: RubricChoices = self._call("GET", f"/api/v1/datasets/{part(slug)}/rubrics", "json")
        return answer

    def list_dataset_tasks(
        self,
        slug: str,
        *,
        version: DatasetVersionId | None = None,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        nl_lang: str | None = None,
        code_lang: str | None = None,
        check: str | None = None,
    ) -> PageTaskRow:
        """List a dataset's tasks.

        slug: Short name of the dataset version: ID of the version; default: the newest. search: Only rows that contain
        all these words, ignoring case. sort: Column by which rows are ordered; `-` before it reverses the order, as in
        `-created`. The cursors of one order are not those of another. limit: Number of rows, 1 to 200; default: 50. A
        page can have fewer although there are more: follow `next` until it is absent. cursor: Start of the page: the
        value of `next` from the previous page. Absent for the first page. nl_lang: Only tasks described in this
        language, `en` or `zh` code_lang: Only tasks in this programming language check: Only tasks for raters, `human`,
        or with tests, `tests`

        Scope: read
        """
        answer: PageTaskRow = self._call(
            "GET",
            f"/api/v1/datasets/{part(slug)}/tasks",
            "json",
            query={
                "version": version,
                "search": search,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
                "nl_lang": nl_lang,
                "code_lang": code_lang,
                "check": check,
            },
        )
        return answer

    def all_dataset_tasks(
        self,
        slug: str,
        *,
        version: DatasetVersionId | None = None,
        search: str | None = None,
        sort: str | None = None,
        nl_lang: str | None = None,
        code_lang: str | None = None,
        check: str | None = None,
    ) -> Iterator[TaskRow]:
        """Every row of `list_dataset_tasks`, page by page."""
        answer: Iterator[TaskRow] = self._rows(
            self.list_dataset_tasks(
                slug,
                version=version,
                search=search,
                sort=sort,
                nl_lang=nl_lang,
                code_lang=code_lang,
                check=check,
                limit=200,
            ),
        )
        return answer

    def list_endpoints(self) -> list[EndpointRow]:
        """List endpoints.

        The operator names them when starting the server. Keys are never shown.

        Scope: read
        """
        answer: list[EndpointRow] = self._call("GET", "/api/v1/endpoints", "json")
        return answer

    def list_groups(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageGroup:
        """List groups.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: admin
        """
        answer: PageGroup = self._call(
            "GET",
            "/api/v1/groups",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_groups(self, *, search: str | None = None, sort: str | None = None) -> Iterator[Group]:
        """Every row of `list_groups`, page by page."""
        answer: Iterator[Group] = self._rows(self.list_groups(search=search, sort=sort, limit=200))
        return answer

    def create_group(self, body: NamedGroup, *, idempotency_key: str | None = None) -> Group:
        """Create a group.

        Scope: admin
        """
        answer: Group = self._call("POST", "/api/v1/groups", "json", body=body, keyed=True, key=idempotency_key)
        return answer

    def get_group(self, id: GroupId) -> Group:
        """Get a group.

        id: ID of the group

        Scope: admin
        """
        answer: Group = self._call("GET", f"/api/v1/groups/{part(id)}", "json")
        return answer

    def delete_group(self, id: GroupId, *, idempotency_key: str | None = None) -> None:
        """Delete a group.

        Its members keep their accounts and their work.

        id: ID of the group

        Scope: admin
        """
        self._call("DELETE", f"/api/v1/groups/{part(id)}", "none", keyed=True, key=idempotency_key)

    def rename_group(self, id: GroupId, body: NamedGroup, *, idempotency_key: str | None = None) -> None:
        """Rename a group.

        id: ID of the group

        Scope: admin
        """
        self._call("PATCH", f"/api/v1/groups/{part(id)}", "none", body=body, keyed=True, key=idempotency_key)

    def change_group_members(self, id: GroupId, body: MemberChange, *, idempotency_key: str | None = None) -> None:
        """Add and remove members of a group.

        id: ID of the group

        Scope: admin
        """
        self._call("PATCH", f"/api/v1/groups/{part(id)}/members", "none", body=body, keyed=True, key=idempotency_key)

    def get_guidelines(self, kind: str, key: str, *, version: int | None = None) -> GuidelinesDetail:
        """Get the guidelines of a study, or the default of a dataset's new studies.

        kind: `study` or `dataset` key: ID of the study, or the dataset's short name version: Number of the version;
        default: the newest.

        Scope: read
        """
        answer: GuidelinesDetail = self._call(
            "GET",
            f"/api/v1/guidelines/{part(kind)}/{part(key)}",
            "json",
            query={"version": version},
        )
        return answer

    def save_guidelines(
        self,
        kind: str,
        key: str,
        body: Bilingual,
        *,
        idempotency_key: str | None = None,
    ) -> GuidelinesDetail:
        """Save a new version of guidelines.

        Markdown in both languages; raters see the other one where one is empty. Empty texts remove the guidelines.

        kind: `study` or `dataset` key: ID of the study, or the dataset's short name

        Scope: write:studies
        """
        answer: GuidelinesDetail = self._call(
            "PUT",
            f"/api/v1/guidelines/{part(kind)}/{part(key)}",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def import_datasets(self, body: Content, *, file: str) -> ImportReport:
        """Import datasets.

        The body is the file: an archive (`.zip`, `.tar.gz`) of an AixBench checkout or of a dataset in AixGrade's own
        format, or one of its files. Imports everything or nothing. Existing tasks stay as they are, so importing the
        same file twice changes nothing.

        file: The file's name, such as `outputs.jsonl.gz`; the ending determines its format.

        Scope: write:data
        """
        answer: ImportReport = self._call("POST", "/api/v1/imports", "json", query={"file": file}, content=body)
        return answer

    def list_inbox(
        self,
        *,
        kind: InboxKind | None = None,
        study: StudyId | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageInboxRow:
        """List the items of the inbox.

        Flags without a reply, disagreements to adjudicate, raters who need attention, ratings that nobody will give,
        stopped runs, engine errors, failed webhook deliveries, daily backups that fail and a damaged database, over all
        studies that are not archived. No item names a model.

        kind: Only items of this kind. study: Only items of this study. limit: Number of rows, 1 to 200; default: 50.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageInboxRow = self._call(
            "GET",
            "/api/v1/inbox",
            "json",
            query={"kind": kind, "study": study, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_inbox(self, *, kind: InboxKind | None = None, study: StudyId | None = None) -> Iterator[InboxRow]:
        """Every row of `list_inbox`, page by page."""
        answer: Iterator[InboxRow] = self._rows(self.list_inbox(kind=kind, study=study, limit=200))
        return answer

    def act_on_inbox(self, body: InboxRequest, *, idempotency_key: str | None = None) -> InboxDone:
        """Resolve, retry or dismiss items.

        With a single item, the response is an error if nothing could be done. With several, what cannot be done is
        counted.

        Scope: admin
        """
        answer: InboxDone = self._call(
            "POST",
            "/api/v1/inbox/actions",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def count_inbox(self, *, kind: InboxKind | None = None, study: StudyId | None = None) -> list[InboxCount]:
        """Count the items of the inbox.

        kind: Only items of this kind. study: Only items of this study.

        Scope: read
        """
        answer: list[InboxCount] = self._call(
            "GET",
            "/api/v1/inbox/counts",
            "json",
            query={"kind": kind, "study": study},
        )
        return answer

    def list_invitations(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageInvitation:
        """List invitations.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: admin
        """
        answer: PageInvitation = self._call(
            "GET",
            "/api/v1/invitations",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_invitations(self, *, search: str | None = None, sort: str | None = None) -> Iterator[Invitation]:
        """Every row of `list_invitations`, page by page."""
        answer: Iterator[Invitation] = self._rows(self.list_invitations(search=search, sort=sort, limit=200))
        return answer

    def create_invitation(self, body: NewInvitation) -> InvitationPath:
        """Create an invitation.

        The response contains the link, which is not shown again.

        Scope: admin
        """
        answer: InvitationPath = self._call("POST", "/api/v1/invitations", "json", body=body)
        return answer

    def revoke_invitation(self, id: int, *, idempotency_key: str | None = None) -> None:
        """Revoke an unused invitation.

        id: ID of the invitation

        Scope: admin
        """
        self._call("DELETE", f"/api/v1/invitations/{part(id)}", "none", keyed=True, key=idempotency_key)

    def create_judging(self, body: NewJudging, *, idempotency_key: str | None = None) -> Created:
        """Create a judging.

        A judge model scores the outputs of a study, or of a submission. A judging is a collection: nothing is sent
        until `POST /collections/{id}/resume`, and the other operations of collections apply to it, except for the
        upload. Its scores are in the comparison as they arrive.

        Scope: write:data
        """
        answer: Created = self._call("POST", "/api/v1/judgings", "json", body=body, keyed=True, key=idempotency_key)
        return answer

    def plan_judging(self, body: NewJudging, *, idempotency_key: str | None = None) -> CollectionPlan:
        """Preview what a judging would send.

        Three prompts, and the cost in tokens: estimated for prompts, an upper limit for responses. Creates nothing.

        Scope: write:data
        """
        answer: CollectionPlan = self._call(
            "POST",
            "/api/v1/judgings/plan",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def get_languages(self) -> LanguageResults:
        """Get every model's newest run in each language of HumanEval-X.

        Code generation by language, then translation by pair of languages.

        Scope: read
        """
        answer: LanguageResults = self._call("GET", "/api/v1/languages", "json")
        return answer

    def me(self) -> CurrentToken:
        """Get the token's user and scopes.

        Scope: read
        """
        answer: CurrentToken = self._call("GET", "/api/v1/me", "json")
        return answer

    def get_object(self, kind: str, key: str) -> Upkeep:
        """Get an object's name, state and dependents.

        kind: `dataset`, `rubric`, `submission` or `study` key: ID, or a dataset's or rubric's short name

        Scope: read
        """
        answer: Upkeep = self._call("GET", f"/api/v1/objects/{part(kind)}/{part(key)}", "json")
        return answer

    def delete_object(self, kind: str, key: str, *, idempotency_key: str | None = None) -> None:
        """Delete an object to which no work refers.

        Submissions and studies can be restored for 15 seconds.

        kind: `dataset`, `rubric`, `submission` or `study` key: ID, or a dataset's or rubric's short name

        Scope: admin
        """
        self._call("DELETE", f"/api/v1/objects/{part(kind)}/{part(key)}", "none", keyed=True, key=idempotency_key)

    def update_object(self, kind: str, key: str, body: ObjectChange, *, idempotency_key: str | None = None) -> Upkeep:
        """Rename, archive or unarchive an object.

        kind: `dataset`, `rubric`, `submission` or `study` key: ID, or a dataset's or rubric's short name

        Scope: admin
        """
        answer: Upkeep = self._call(
            "PATCH",
            f"/api/v1/objects/{part(kind)}/{part(key)}",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def restore_object(self, kind: str, key: str, *, idempotency_key: str | None = None) -> Upkeep:
        """Undo a deletion.

        kind: `submission` or `study` key: ID

        Scope: admin
        """
        answer: Upkeep = self._call(
            "POST",
            f"/api/v1/objects/{part(kind)}/{part(key)}/restore",
            "json",
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def openapi(self) -> Any:
        """Get this document.

        No token is required; the document contains no data.
        """
        answer: Any = self._call("GET", "/api/v1/openapi.json", "json")
        return answer

    def get_output(self, id: OutputId) -> OutputDetail:
        """Get an output with its code.

        id: ID of the output

        Scope: read
        """
        answer: OutputDetail = self._call("GET", f"/api/v1/outputs/{part(id)}", "json")
        return answer

    def choose_block(self, id: OutputId, body: Block, *, idempotency_key: str | None = None) -> OutputDetail:
        """Choose the code block of a response that is the code of an output.

        The response stays as it is. Results of the output in test runs are discarded, and it is run again, unless its
        run was stopped. Refused once a rater or a judge model has seen the output.

        id: ID of the output

        Scope: write:data
        """
        answer: OutputDetail = self._call(
            "PUT",
            f"/api/v1/outputs/{part(id)}/block",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def list_people(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        role: Role | None = None,
        group: GroupId | None = None,
        active: str | None = None,
    ) -> PageUserRow:
        """List accounts.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page. role: Only
        accounts with this role group: Only members of this group active: Only active accounts, `1`, or deactivated
        ones, `0`

        Scope: admin
        """
        answer: PageUserRow = self._call(
            "GET",
            "/api/v1/people",
            "json",
            query={
                "search": search,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
                "role": role,
                "group": group,
                "active": active,
            },
        )
        return answer

    def all_people(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        role: Role | None = None,
        group: GroupId | None = None,
        active: str | None = None,
    ) -> Iterator[UserRow]:
        """Every row of `list_people`, page by page."""
        answer: Iterator[UserRow] = self._rows(
            self.list_people(search=search, sort=sort, role=role, group=group, active=active, limit=200),
        )
        return answer

    def update_person(self, id: UserId, body: PersonChange, *, idempotency_key: str | None = None) -> None:
        """Change the role of an account, or deactivate or activate it.

        id: User ID of the person

        Scope: admin
        """
        self._call("PATCH", f"/api/v1/people/{part(id)}", "none", body=body, keyed=True, key=idempotency_key)

    def set_reads(self, id: UserId, body: Languages, *, idempotency_key: str | None = None) -> None:
        """Set the languages that a person reads.

        Existing plans do not change.

        id: User ID of the person

        Scope: admin
        """
        self._call("PUT", f"/api/v1/people/{part(id)}/reads", "none", body=body, keyed=True, key=idempotency_key)

    def revoke_public_link(self, id: PublicLinkId, *, idempotency_key: str | None = None) -> None:
        """Revoke a public link.

        id: ID of the link

        Scope: write:studies
        """
        self._call("DELETE", f"/api/v1/public-links/{part(id)}", "none", keyed=True, key=idempotency_key)

    def import_ratings(
        self,
        body: Content,
        *,
        dataset: str,
        file: str,
        title: str | None = None,
        judge: str | None = None,
        columns: str | None = None,
        dry_run: bool | None = None,
    ) -> RatingsPreview:
        """Import ratings.

        The body is a CSV file with another tool's ratings or of a judge model's scores (docs/formats.md). Imports
        everything or nothing; `dry_run=true` lists all problems first.

        dataset: Short name of the dataset whose outputs were rated. file: Name of the file, used in messages. title:
        People's ratings: title of the closed study to create. judge: A judge model's scores: its name. The scores are
        compared with people's and never mixed with them. Instead of `title`. columns: Columns with other names:
        `task_id=Nr,rater=Who`. dry_run: Whether to check the file without importing it.

        Scope: write:studies
        """
        answer: RatingsPreview = self._call(
            "POST",
            "/api/v1/ratings",
            "json",
            query={
                "dataset": dataset,
                "file": file,
                "title": title,
                "judge": judge,
                "columns": columns,
                "dry_run": dry_run,
            },
            content=body,
        )
        return answer

    def get_results(
        self,
        *,
        dataset: str | None = None,
        q: str | None = None,
        sort: str | None = None,
        reverse: bool | None = None,
        page: int | None = None,
        after: str | None = None,
        slice: str | None = None,
    ) -> Board:
        """Get the leaderboard.

        Models × datasets: mean final scores by people on each dimension and pass@k by tests, each with its 95 %
        interval, number of tasks and time. A model without data for a dataset has `null`, never 0. Models without data
        for any of them are in `empty`. With `slice`, all of this is of the tasks with an attribute in common alone,
        with pass@1 of the tests; each dataset's `slice` says how many these are. By difficulty, each model has its own
        tasks, so there are no ranks.

        dataset: Short name of the only dataset; all datasets where absent. q: Words of the models' names. sort:
        `model`, or a dataset's short name, a dot and a dimension's key or `pass@1`; the first column with data where
        absent. reverse: Whether the order is reversed. page: The page of 100 models, counted from 0. after: Short name
        of the last dataset on the page of 20 datasets before: `next` of that page. The first page where absent. slice:
        The slice of tasks that figures, ranks and highest values are of: an attribute, a dot and a value. These are
        `difficulty` with `hard`, `medium`, `easy` and `unknown`; `length` with `short`, `medium` and `long`;
        `code_lang` with `python`, `cpp`, `java`, `javascript`, `go` and `rust`; `nl_lang` with `en` and `zh`. All tasks
        where absent.

        Scope: read
        """
        answer: Board = self._call(
            "GET",
            "/api/v1/results",
            "json",
            query={
                "dataset": dataset,
                "q": q,
                "sort": sort,
                "reverse": reverse,
                "page": page,
                "after": after,
                "slice": slice,
            },
        )
        return answer

    def results_csv(
        self,
        *,
        dataset: str | None = None,
        q: str | None = None,
        sort: str | None = None,
        reverse: bool | None = None,
        page: int | None = None,
        after: str | None = None,
        slice: str | None = None,
        bom: bool | None = None,
    ) -> str:
        """Download the leaderboard as CSV.

        All models that the query selects on all datasets, a line for each figure; `page` and `after` are ignored. While
        the first figures of a dataset are being computed, the answer is 409 and names it.

        dataset: Short name of the only dataset; all datasets where absent. q: Words of the models' names. sort:
        `model`, or a dataset's short name, a dot and a dimension's key or `pass@1`; the first column with data where
        absent. reverse: Whether the order is reversed. page: The page of 100 models, counted from 0. after: Short name
        of the last dataset on the page of 20 datasets before: `next` of that page. The first page where absent. slice:
        The slice of tasks that figures, ranks and highest values are of: an attribute, a dot and a value. These are
        `difficulty` with `hard`, `medium`, `easy` and `unknown`; `length` with `short`, `medium` and `long`;
        `code_lang` with `python`, `cpp`, `java`, `javascript`, `go` and `rust`; `nl_lang` with `en` and `zh`. All tasks
        where absent. bom: `true`: a CSV file begins with a byte order mark, as Excel needs it

        Scope: read
        """
        answer: str = self._call(
            "GET",
            "/api/v1/results.csv",
            "text",
            query={
                "dataset": dataset,
                "q": q,
                "sort": sort,
                "reverse": reverse,
                "page": page,
                "after": after,
                "slice": slice,
                "bom": bom,
            },
        )
        return answer

    def get_model_results(
        self,
        model: ModelId,
        *,
        baseline: int | None = None,
        after: str | None = None,
    ) -> ModelResults:
        """Get a model's results.

        Scores on a page of datasets with their differences from a baseline, submissions, studies, and test runs over
        time.

        model: The model baseline: The baseline's number. after: Short name of the last dataset on the page of 20
        datasets before: `next` of that page. The first page where absent.

        Scope: read
        """
        answer: ModelResults = self._call(
            "GET",
            f"/api/v1/results/models/{part(model)}",
            "json",
            query={"baseline": baseline, "after": after},
        )
        return answer

    def list_rubrics(self, *, limit: int | None = None, cursor: str | None = None) -> PageRubricRow:
        """List rubrics.

        Archived rubrics are left out.

        limit: Number of rows, 1 to 200; default: 50. cursor: Start of the page: the value of `next` from the previous
        page. Absent for the first page.

        Scope: read
        """
        answer: PageRubricRow = self._call("GET", "/api/v1/rubrics", "json", query={"limit": limit, "cursor": cursor})
        return answer

    def all_rubrics(self) -> Iterator[RubricRow]:
        """Every row of `list_rubrics`, page by page."""
        answer: Iterator[RubricRow] = self._rows(self.list_rubrics(limit=200))
        return answer

    def save_rubric(self, body: Rubric, *, idempotency_key: str | None = None) -> SavedRubric:
        """Save a rubric.

        It becomes the next version of its short name, or the first of a new one. Stored versions never change, so
        studies keep theirs. A rubric that equals the newest version changes nothing. `version` is ignored.

        Scope: write:studies
        """
        answer: SavedRubric = self._call("POST", "/api/v1/rubrics", "json", body=body, keyed=True, key=idempotency_key)
        return answer

    def get_rubric(self, slug: str, *, version: int | None = None) -> RubricDetail:
        """Get a rubric with its versions.

        `rubric` is the file that `POST /rubrics` takes.

        slug: Short name of the rubric version: Number of the version; default: the newest.

        Scope: read
        """
        answer: RubricDetail = self._call("GET", f"/api/v1/rubrics/{part(slug)}", "json", query={"version": version})
        return answer

    def list_runs(
        self,
        *,
        submission: SubmissionId | None = None,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: RunStatus | None = None,
        dataset: str | None = None,
        model: int | None = None,
    ) -> PageRunRow:
        """List runs.

        submission: Only runs of this submission. search: Only rows that contain all these words, ignoring case. sort:
        Column by which rows are ordered; `-` before it reverses the order, as in `-created`. The cursors of one order
        are not those of another. limit: Number of rows, 1 to 200; default: 50. A page can have fewer although there are
        more: follow `next` until it is absent. cursor: Start of the page: the value of `next` from the previous page.
        Absent for the first page. status: Only runs in this state dataset: Only runs of this dataset, by its short name
        model: Only runs of this model

        Scope: read
        """
        answer: PageRunRow = self._call(
            "GET",
            "/api/v1/runs",
            "json",
            query={
                "submission": submission,
                "search": search,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "dataset": dataset,
                "model": model,
            },
        )
        return answer

    def all_runs(
        self,
        *,
        submission: SubmissionId | None = None,
        search: str | None = None,
        sort: str | None = None,
        status: RunStatus | None = None,
        dataset: str | None = None,
        model: int | None = None,
    ) -> Iterator[RunRow]:
        """Every row of `list_runs`, page by page."""
        answer: Iterator[RunRow] = self._rows(
            self.list_runs(
                submission=submission,
                search=search,
                sort=sort,
                status=status,
                dataset=dataset,
                model=model,
                limit=200,
            ),
        )
        return answer

    def start_run(self, body: NewRun, *, idempotency_key: str | None = None) -> Created:
        """Start a run.

        Scope: write:runs
        """
        answer: Created = self._call("POST", "/api/v1/runs", "json", body=body, keyed=True, key=idempotency_key)
        return answer

    def get_run(self, id: RunId) -> Run:
        """Get a run with its figures.

        id: ID of the run

        Scope: read
        """
        answer: Run = self._call("GET", f"/api/v1/runs/{part(id)}", "json")
        return answer

    def compare_runs(self, id: RunId, other: RunId, *, task: str | None = None) -> RunPair:
        """Compare two runs of one dataset.

        id: ID of the first run other: ID of the second run task: External ID of a task whose outputs to return with
        their code.

        Scope: read
        """
        answer: RunPair = self._call(
            "GET",
            f"/api/v1/runs/{part(id)}/against/{part(other)}",
            "json",
            query={"task": task},
        )
        return answer

    def list_run_items(
        self,
        id: RunId,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageItemRow:
        """List a run's outputs with their verdicts.

        id: ID of the run search: Only rows that contain all these words, ignoring case. sort: Column by which rows are
        ordered; `-` before it reverses the order, as in `-created`. The cursors of one order are not those of another.
        limit: Number of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until
        it is absent. cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageItemRow = self._call(
            "GET",
            f"/api/v1/runs/{part(id)}/items",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_run_items(self, id: RunId, *, search: str | None = None, sort: str | None = None) -> Iterator[ItemRow]:
        """Every row of `list_run_items`, page by page."""
        answer: Iterator[ItemRow] = self._rows(self.list_run_items(id, search=search, sort=sort, limit=200))
        return answer

    def get_run_item(self, id: RunId, output: OutputId) -> ItemDetail:
        """Get an output of a run with all details.

        id: ID of the run output: ID of the output

        Scope: read
        """
        answer: ItemDetail = self._call("GET", f"/api/v1/runs/{part(id)}/items/{part(output)}", "json")
        return answer

    def get_run_progress(self, id: RunId) -> RunProgress:
        """Get a run's progress.

        id: ID of the run

        Scope: read
        """
        answer: RunProgress = self._call("GET", f"/api/v1/runs/{part(id)}/progress", "json")
        return answer

    def rerun(self, id: RunId, body: Rerun, *, idempotency_key: str | None = None) -> None:
        """Re-run outputs.

        One output (`{"output": 7}`), tasks by external ID (`{"tasks": ["12"]}`), or `"failed"` (engine errors),
        `"changed"` (outputs whose result could differ today), `"rest"` (the unfinished outputs of a stopped run).

        id: ID of the run

        Scope: write:runs
        """
        self._call("POST", f"/api/v1/runs/{part(id)}/rerun", "none", body=body, keyed=True, key=idempotency_key)

    def run_results_csv(self, id: RunId, *, bom: bool | None = None) -> str:
        """Export a run's results as CSV.

        id: ID of the run bom: `true`: a CSV file begins with a byte order mark, as Excel needs it

        Scope: read
        """
        answer: str = self._call("GET", f"/api/v1/runs/{part(id)}/results.csv", "text", query={"bom": bom})
        return answer

    def run_results_jsonl(self, id: RunId) -> str:
        """Export a run's results as JSON Lines.

        One line per output, then a line with the figures. docs/engine.md describes the fields.

        id: ID of the run

        Scope: read
        """
        answer: str = self._call("GET", f"/api/v1/runs/{part(id)}/results.jsonl", "text")
        return answer

    def run_results_parquet(self, id: RunId) -> bytes:
        """Export a run's results as Parquet.

        id: ID of the run

        Scope: read
        """
        answer: bytes = self._call("GET", f"/api/v1/runs/{part(id)}/results.parquet", "bytes")
        return answer

    def stop_run(self, id: RunId, *, idempotency_key: str | None = None) -> None:
        """Stop a run.

        Finished outputs keep their verdicts. A finished run does not change.

        id: ID of the run

        Scope: write:runs
        """
        self._call("POST", f"/api/v1/runs/{part(id)}/stop", "none", keyed=True, key=idempotency_key)

    def list_studies(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        status: StudyStatus | None = None,
        dataset: str | None = None,
        model: int | None = None,
    ) -> PageStudyRow:
        """List studies.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page. status: Only
        studies in this state dataset: Only studies of this dataset, by its short name model: Only studies with outputs
        of this model

        Scope: read
        """
        answer: PageStudyRow = self._call(
            "GET",
            "/api/v1/studies",
            "json",
            query={
                "search": search,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
                "status": status,
                "dataset": dataset,
                "model": model,
            },
        )
        return answer

    def all_studies(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        status: StudyStatus | None = None,
        dataset: str | None = None,
        model: int | None = None,
    ) -> Iterator[StudyRow]:
        """Every row of `list_studies`, page by page."""
        answer: Iterator[StudyRow] = self._rows(
            self.list_studies(search=search, sort=sort, status=status, dataset=dataset, model=model, limit=200),
        )
        return answer

    def create_study(self, body: NewStudy, *, idempotency_key: str | None = None) -> Created:
        """Create a study and start it.

        Scope: write:studies
        """
        answer: Created = self._call("POST", "/api/v1/studies", "json", body=body, keyed=True, key=idempotency_key)
        return answer

    def get_study(self, id: StudyId) -> StudyDetail:
        """Get a study with its raters' progress.

        id: ID of the study

        Scope: read
        """
        answer: StudyDetail = self._call("GET", f"/api/v1/studies/{part(id)}", "json")
        return answer

    def edit_study(self, id: StudyId, body: NewStudyPatch, *, idempotency_key: str | None = None) -> PlanDetail:
        """Edit a draft.

        Changes the settings of a study that has not started and draws its plan again. Absent fields stay as they are. A
        started study is extended instead.

        id: ID of the study

        Scope: write:studies
        """
        answer: PlanDetail = self._call(
            "PATCH",
            f"/api/v1/studies/{part(id)}",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def set_adjudicator(self, id: StudyId, user: UserId, body: Enabled, *, idempotency_key: str | None = None) -> None:
        """Add or remove an adjudicator of a study.

        id: ID of the study user: User ID of the person

        Scope: write:studies
        """
        self._call(
            "PUT",
            f"/api/v1/studies/{part(id)}/adjudicators/{part(user)}",
            "none",
            body=body,
            keyed=True,
            key=idempotency_key,
        )

    def set_admission(self, id: StudyId, rater: UserId, body: Admission, *, idempotency_key: str | None = None) -> None:
        """Allow a rater to rate, or restart their calibration.

        id: ID of the study rater: User ID of the rater

        Scope: write:studies
        """
        self._call(
            "PUT",
            f"/api/v1/studies/{part(id)}/calibrations/{part(rater)}",
            "none",
            body=body,
            keyed=True,
            key=idempotency_key,
        )

    def get_comparison(self, id: StudyId) -> Any:
        """Compare a study's models by human ratings.

        Redirects to the comparison of the study's dataset with the study's models and ratings selected. Its files
        `means.csv` and `study-ratings.csv` are the study's tables.

        id: ID of the study

        Scope: read
        """
        answer: Any = self._call("GET", f"/api/v1/studies/{part(id)}/comparison", "json")
        return answer

    def list_disagreements(
        self,
        id: StudyId,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageDisagreementRow:
        """List a study's disagreements.

        Each with its ratings, adjudications and final scores.

        id: ID of the study limit: Number of rows, 1 to 200; default: 50. cursor: Start of the page: the value of `next`
        from the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageDisagreementRow = self._call(
            "GET",
            f"/api/v1/studies/{part(id)}/disagreements",
            "json",
            query={"limit": limit, "cursor": cursor},
        )
        return answer

    def all_disagreements(self, id: StudyId) -> Iterator[DisagreementRow]:
        """Every row of `list_disagreements`, page by page."""
        answer: Iterator[DisagreementRow] = self._rows(self.list_disagreements(id, limit=200))
        return answer

    def ask_extra(self, id: StudyId, output: OutputId, *, idempotency_key: str | None = None) -> None:
        """Request one more rating of an output with a disagreement.

        id: ID of the study output: ID of the output

        Scope: write:studies
        """
        self._call(
            "POST",
            f"/api/v1/studies/{part(id)}/disagreements/{part(output)}/extra",
            "none",
            keyed=True,
            key=idempotency_key,
        )

    def duplicate_study(self, id: StudyId, *, idempotency_key: str | None = None) -> Created:
        """Create a draft with the same settings, known-score items, raters and adjudicators.

        It gets a new seed. Start it by setting its status to `running`.

        id: ID of the study

        Scope: write:studies
        """
        answer: Created = self._call(
            "POST",
            f"/api/v1/studies/{part(id)}/duplicate",
            "json",
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def extend_study(self, id: StudyId, body: Extension, *, idempotency_key: str | None = None) -> PlanDetail:
        """Add outputs, tasks or raters per output.

        Extends a study. Existing work and ratings do not change.

        id: ID of the study

        Scope: write:studies
        """
        answer: PlanDetail = self._call(
            "POST",
            f"/api/v1/studies/{part(id)}/extension",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def list_flags(self, id: StudyId, *, limit: int | None = None, cursor: str | None = None) -> PageFlagRow:
        """List a study's flags with their replies.

        id: ID of the study limit: Number of rows, 1 to 200; default: 50. cursor: Start of the page: the value of `next`
        from the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageFlagRow = self._call(
            "GET",
            f"/api/v1/studies/{part(id)}/flags",
            "json",
            query={"limit": limit, "cursor": cursor},
        )
        return answer

    def all_flags(self, id: StudyId) -> Iterator[FlagRow]:
        """Every row of `list_flags`, page by page."""
        answer: Iterator[FlagRow] = self._rows(self.list_flags(id, limit=200))
        return answer

    def reply_to_flag(self, id: StudyId, body: FlagReplyText, *, idempotency_key: str | None = None) -> None:
        """Reply to a flag.

        id: ID of the study

        Scope: write:studies
        """
        self._call(
            "POST",
            f"/api/v1/studies/{part(id)}/flags/replies",
            "none",
            body=body,
            keyed=True,
            key=idempotency_key,
        )

    def get_leaks(self, id: StudyId) -> StudyLeaks:
        """Get the outputs of a study that name a model to its raters.

        Masked submissions have none. Look at them before the study starts.

        id: ID of the study

        Scope: read
        """
        answer: StudyLeaks = self._call("GET", f"/api/v1/studies/{part(id)}/identity-leaks", "json")
        return answer

    def list_known_items(self, id: StudyId) -> list[KnownItemRecord]:
        """Export a study's known-score items.

        The active ones, as `POST /studies/{id}/known-items/import` accepts them for another study of the dataset.

        id: ID of the study

        Scope: read
        """
        answer: list[KnownItemRecord] = self._call("GET", f"/api/v1/studies/{part(id)}/known-items", "json")
        return answer

    def add_known_item(self, id: StudyId, body: NewKnownItem, *, idempotency_key: str | None = None) -> Created:
        """Add a known-score item.

        `pool` says where it comes: `calibration`, `hidden` (as a hidden check) or `both`. An output that the study
        grades must have a rating and needs a reason; without `scores` it gets its final scores, of its adjudication or
        else the median. Nobody who has it as work gets it as an item, and nobody at all while a rating of it is
        missing.

        id: ID of the study

        Scope: write:studies
        """
        answer: Created = self._call(
            "POST",
            f"/api/v1/studies/{part(id)}/known-items",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def import_known_items(self, id: StudyId, body: KnownItemFile, *, idempotency_key: str | None = None) -> Imported:
        """Import known-score items.

        All or none. Each is code for a task of the study's dataset.

        id: ID of the study

        Scope: write:studies
        """
        answer: Imported = self._call(
            "POST",
            f"/api/v1/studies/{part(id)}/known-items/import",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def remove_known_item(self, id: StudyId, item: int, *, idempotency_key: str | None = None) -> None:
        """Remove a known-score item.

        Only one that no rater has had; others can be deactivated.

        id: ID of the study item: ID of the item

        Scope: write:studies
        """
        self._call(
            "DELETE",
            f"/api/v1/studies/{part(id)}/known-items/{part(item)}",
            "none",
            keyed=True,
            key=idempotency_key,
        )

    def change_known_item(
        self,
        id: StudyId,
        item: int,
        body: KnownItemChange,
        *,
        idempotency_key: str | None = None,
    ) -> None:
        """Deactivate or activate a known-score item, or change its pool.

        Ratings of it are kept. Nobody gets an item both in the calibration and as a hidden check.

        id: ID of the study item: ID of the item

        Scope: write:studies
        """
        self._call(
            "PATCH",
            f"/api/v1/studies/{part(id)}/known-items/{part(item)}",
            "none",
            body=body,
            keyed=True,
            key=idempotency_key,
        )

    def watch_study(self, id: StudyId) -> Live:
        """Get a study's live status.

        Returns progress, pace, outputs in progress, pending work and figures about raters.

        id: ID of the study

        Scope: read
        """
        answer: Live = self._call("GET", f"/api/v1/studies/{part(id)}/live", "json")
        return answer

    def set_pace(self, id: StudyId, body: Pace, *, idempotency_key: str | None = None) -> None:
        """Set the expected time per rating.

        The plan's estimated hours use this value.

        id: ID of the study

        Scope: write:studies
        """
        self._call("PUT", f"/api/v1/studies/{part(id)}/pace", "none", body=body, keyed=True, key=idempotency_key)

    def get_plan(self, id: StudyId) -> PlanDetail:
        """Get a study's plan.

        Returns who rates what: the expected work before the start, the progress afterwards.

        id: ID of the study

        Scope: read
        """
        answer: PlanDetail = self._call("GET", f"/api/v1/studies/{part(id)}/plan", "json")
        return answer

    def list_public_links(
        self,
        id: StudyId,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PagePublicLinkRow:
        """List a study's public links.

        id: ID of the study limit: Number of rows, 1 to 200; default: 50. cursor: Start of the page: the value of `next`
        from the previous page. Absent for the first page.

        Scope: write:studies
        """
        answer: PagePublicLinkRow = self._call(
            "GET",
            f"/api/v1/studies/{part(id)}/public-links",
            "json",
            query={"limit": limit, "cursor": cursor},
        )
        return answer

    def all_public_links(self, id: StudyId) -> Iterator[PublicLinkRow]:
        """Every row of `list_public_links`, page by page."""
        answer: Iterator[PublicLinkRow] = self._rows(self.list_public_links(id, limit=200))
        return answer

    def create_public_link(self, id: StudyId, body: NewPublicLink) -> CreatedPublicLink:
        """Create a public link to a closed study.

        The response contains the link, which is not shown again.

        id: ID of the study

        Scope: write:studies
        """
        answer: CreatedPublicLink = self._call("POST", f"/api/v1/studies/{part(id)}/public-links", "json", body=body)
        return answer

    def get_quality(self, id: StudyId) -> QualityPage:
        """Get a study's quality settings.

        Returns the settings, the known-score items with the raters' answers, and the adjudicators.

        id: ID of the study

        Scope: read
        """
        answer: QualityPage = self._call("GET", f"/api/v1/studies/{part(id)}/quality", "json")
        return answer

    def set_quality(self, id: StudyId, body: QualityChange, *, idempotency_key: str | None = None) -> None:
        """Change a study's quality settings.

        Missing fields stay as they are, and `null` sets a field to its default. With a `preset`, the other fields
        change what the preset sets. Ratings are kept; disagreements are recomputed. Raters begin new windows if the
        limits change.

        id: ID of the study

        Scope: write:studies
        """
        self._call("PATCH", f"/api/v1/studies/{part(id)}/quality", "none", body=body, keyed=True, key=idempotency_key)

    def add_rater(self, id: StudyId, body: NewRater, *, idempotency_key: str | None = None) -> None:
        """Add a rater to a study.

        In a running study, the rater takes over a fair share of the work that has not been started.

        id: ID of the study

        Scope: write:studies
        """
        self._call("POST", f"/api/v1/studies/{part(id)}/raters", "none", body=body, keyed=True, key=idempotency_key)

    def remove_rater(self, id: StudyId, user: UserId, *, idempotency_key: str | None = None) -> None:
        """Remove a rater from a study.

        Their ratings are kept; their remaining work is reassigned.

        id: ID of the study user: User ID of the rater

        Scope: write:studies
        """
        self._call("DELETE", f"/api/v1/studies/{part(id)}/raters/{part(user)}", "none", keyed=True, key=idempotency_key)

    def pause_rater(self, id: StudyId, user: UserId, body: Enabled, *, idempotency_key: str | None = None) -> None:
        """Pause a rater of a study, or let a paused rater continue.

        A paused rater gets no outputs and cannot submit; drafts are still saved. Continuing starts a new window of the
        study's limits.

        id: ID of the study user: User ID of the rater

        Scope: write:studies
        """
        self._call(
            "PUT",
            f"/api/v1/studies/{part(id)}/raters/{part(user)}/pause",
            "none",
            body=body,
            keyed=True,
            key=idempotency_key,
        )

    def list_ratings(
        self,
        id: StudyId,
        *,
        rater: int | None = None,
        group: int | None = None,
        submission: int | None = None,
        lang: Lang | None = None,
        dimension: int | None = None,
        score: int | None = None,
        flagged: bool | None = None,
        has_disagreement: bool | None = None,
        faster_than_s: int | None = None,
        text: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageListedRating:
        """List a study's ratings.

        `/comparisons/{slug}/files/ratings.jsonl?studies=…` streams all of them.

        id: ID of the study rater: Only ratings by this person. group: Only ratings by members of this group.
        submission: Only ratings of this submission's outputs. lang: Only ratings of tasks in this language. dimension:
        Only ratings with `score` on the dimension with this index, from 0. score: Only ratings with this score, on any
        dimension if `dimension` is absent. flagged: Only flagged ratings. has_disagreement: Only ratings of outputs
        with a disagreement. faster_than_s: Only ratings that took less than this many seconds. text: Only ratings whose
        comment, `task_id` or description contains this text. limit: Number of rows, 1 to 200; default: 50. cursor:
        Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageListedRating = self._call(
            "GET",
            f"/api/v1/studies/{part(id)}/ratings",
            "json",
            query={
                "rater": rater,
                "group": group,
                "submission": submission,
                "lang": lang,
                "dimension": dimension,
                "score": score,
                "flagged": flagged,
                "has_disagreement": has_disagreement,
                "faster_than_s": faster_than_s,
                "text": text,
                "limit": limit,
                "cursor": cursor,
            },
        )
        return answer

    def all_ratings(
        self,
        id: StudyId,
        *,
        rater: int | None = None,
        group: int | None = None,
        submission: int | None = None,
        lang: Lang | None = None,
        dimension: int | None = None,
        score: int | None = None,
        flagged: bool | None = None,
        has_disagreement: bool | None = None,
        faster_than_s: int | None = None,
        text: str | None = None,
    ) -> Iterator[ListedRating]:
        """Every row of `list_ratings`, page by page."""
        answer: Iterator[ListedRating] = self._rows(
            self.list_ratings(
                id,
                rater=rater,
                group=group,
                submission=submission,
                lang=lang,
                dimension=dimension,
                score=score,
                flagged=flagged,
                has_disagreement=has_disagreement,
                faster_than_s=faster_than_s,
                text=text,
                limit=200,
            ),
        )
        return answer

    def reopen_study(self, id: StudyId, body: Reopening, *, idempotency_key: str | None = None) -> Status:
        """Reopen a closed study.

        It accepts ratings again. Its public links open no page until it is closed again.

        id: ID of the study

        Scope: write:studies
        """
        answer: Status = self._call(
            "POST",
            f"/api/v1/studies/{part(id)}/reopening",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def set_study_status(self, id: StudyId, body: Status, *, idempotency_key: str | None = None) -> Status:
        """Pause, resume or close a study.

        A closed study is reopened by `POST /studies/{id}/reopening`, which asks for a reason.

        id: ID of the study

        Scope: write:studies
        """
        answer: Status = self._call(
            "PUT",
            f"/api/v1/studies/{part(id)}/status",
            "json",
            body=body,
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def list_study_tasks(
        self,
        id: StudyId,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        nl_lang: str | None = None,
        show: str | None = None,
    ) -> PageTaskScores:
        """List a study's tasks with their mean scores.

        id: ID of the study search: Only rows that contain all these words, ignoring case. sort: Column by which rows
        are ordered; `-` before it reverses the order, as in `-created`. The cursors of one order are not those of
        another. limit: Number of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow
        `next` until it is absent. cursor: Start of the page: the value of `next` from the previous page. Absent for the
        first page. nl_lang: Only tasks described in this language, `en` or `zh` show: Only tasks with ratings, `rated`,
        without, `unrated`, or with an output whose raters differ, `apart`

        Scope: read
        """
        answer: PageTaskScores = self._call(
            "GET",
            f"/api/v1/studies/{part(id)}/tasks",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor, "nl_lang": nl_lang, "show": show},
        )
        return answer

    def all_study_tasks(
        self,
        id: StudyId,
        *,
        search: str | None = None,
        sort: str | None = None,
        nl_lang: str | None = None,
        show: str | None = None,
    ) -> Iterator[TaskScores]:
        """Every row of `list_study_tasks`, page by page."""
        answer: Iterator[TaskScores] = self._rows(
            self.list_study_tasks(id, search=search, sort=sort, nl_lang=nl_lang, show=show, limit=200),
        )
        return answer

    def get_study_task(self, id: StudyId, task: TaskId) -> TaskRatings:
        """Get a task with every output and rating.

        id: ID of the study task: ID of the task

        Scope: read
        """
        answer: TaskRatings = self._call("GET", f"/api/v1/studies/{part(id)}/tasks/{part(task)}", "json")
        return answer

    def list_submissions(
        self,
        *,
        dataset: str | None = None,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        model: int | None = None,
    ) -> PageSubmissionRow:
        """List submissions.

        dataset: Only submissions for this dataset (short name). search: Only rows that contain all these words,
        ignoring case. sort: Column by which rows are ordered; `-` before it reverses the order, as in `-created`. The
        cursors of one order are not those of another. limit: Number of rows, 1 to 200; default: 50. A page can have
        fewer although there are more: follow `next` until it is absent. cursor: Start of the page: the value of `next`
        from the previous page. Absent for the first page. model: Only submissions of this model

        Scope: read
        """
        answer: PageSubmissionRow = self._call(
            "GET",
            "/api/v1/submissions",
            "json",
            query={
                "dataset": dataset,
                "search": search,
                "sort": sort,
                "limit": limit,
                "cursor": cursor,
                "model": model,
            },
        )
        return answer

    def all_submissions(
        self,
        *,
        dataset: str | None = None,
        search: str | None = None,
        sort: str | None = None,
        model: int | None = None,
    ) -> Iterator[SubmissionRow]:
        """Every row of `list_submissions`, page by page."""
        answer: Iterator[SubmissionRow] = self._rows(
            self.list_submissions(dataset=dataset, search=search, sort=sort, model=model, limit=200),
        )
        return answer

    def import_submission(self, body: NewSubmission, *, idempotency_key: str | None = None) -> Created:
        """Import an upload's outputs as a submission.

        Imports all outputs, or none if a line is invalid; with `good_lines_only`, invalid lines are left out and the
        submission records their number. The same file of the same model is imported once.

        Scope: write:data
        """
        answer: Created = self._call("POST", "/api/v1/submissions", "json", body=body, keyed=True, key=idempotency_key)
        return answer

    def get_submission(self, id: SubmissionId) -> SubmissionRow:
        """Get a submission.

        id: ID of the submission

        Scope: read
        """
        answer: SubmissionRow = self._call("GET", f"/api/v1/submissions/{part(id)}", "json")
        return answer

    def get_bad_list(self, id: SubmissionId, *, bom: bool | None = None) -> str:
        """List the lines of a submission's file that were not imported.

        CSV with the file, the line, the problem and how to fix it.

        id: ID of the submission bom: `true`: a CSV file begins with a byte order mark, as Excel needs it

        Scope: read
        """
        answer: str = self._call("GET", f"/api/v1/submissions/{part(id)}/bad-lines.csv", "text", query={"bom": bom})
        return answer

    def get_bad_lines(self, id: SubmissionId) -> bytes:
        """Get the lines of a submission's file that were not imported.

        Invalid lines and those without a task, byte for byte as they were uploaded.

        id: ID of the submission

        Scope: read
        """
        answer: bytes = self._call("GET", f"/api/v1/submissions/{part(id)}/bad-lines.jsonl", "bytes")
        return answer

    def get_original(self, id: SubmissionId) -> bytes:
        """Get the file that a submission was imported from.

        id: ID of the submission

        Scope: read
        """
        answer: bytes = self._call("GET", f"/api/v1/submissions/{part(id)}/file", "bytes")
        return answer

    def get_mask(self, id: SubmissionId) -> MaskState:
        """Get a submission's masking.

        id: ID of the submission

        Scope: read
        """
        answer: MaskState = self._call("GET", f"/api/v1/submissions/{part(id)}/mask", "json")
        return answer

    def set_mask(self, id: SubmissionId, body: Enabled, *, idempotency_key: str | None = None) -> None:
        """Hide model names from raters, or show the original outputs.

        id: ID of the submission

        Scope: write:studies
        """
        self._call("PUT", f"/api/v1/submissions/{part(id)}/mask", "none", body=body, keyed=True, key=idempotency_key)

    def list_submission_outputs(
        self,
        id: SubmissionId,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageOutputRow:
        """List a submission's outputs.

        id: The submission search: Only rows that contain all these words, ignoring case. sort: Column by which rows are
        ordered; `-` before it reverses the order, as in `-created`. The cursors of one order are not those of another.
        limit: Number of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until
        it is absent. cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageOutputRow = self._call(
            "GET",
            f"/api/v1/submissions/{part(id)}/outputs",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_submission_outputs(
        self,
        id: SubmissionId,
        *,
        search: str | None = None,
        sort: str | None = None,
    ) -> Iterator[OutputRow]:
        """Every row of `list_submission_outputs`, page by page."""
        answer: Iterator[OutputRow] = self._rows(self.list_submission_outputs(id, search=search, sort=sort, limit=200))
        return answer

    def list_tokens(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageTokenRow:
        """List your tokens.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: admin
        """
        answer: PageTokenRow = self._call(
            "GET",
            "/api/v1/tokens",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_tokens(self, *, search: str | None = None, sort: str | None = None) -> Iterator[TokenRow]:
        """Every row of `list_tokens`, page by page."""
        answer: Iterator[TokenRow] = self._rows(self.list_tokens(search=search, sort=sort, limit=200))
        return answer

    def create_token(self, body: NewToken) -> CreatedToken:
        """Create a token.

        The response contains the secret, which is not shown again.

        Scope: admin
        """
        answer: CreatedToken = self._call("POST", "/api/v1/tokens", "json", body=body)
        return answer

    def revoke_token(self, id: ApiTokenId, *, idempotency_key: str | None = None) -> None:
        """Revoke a token.

        id: ID of the token

        Scope: admin
        """
        self._call("DELETE", f"/api/v1/tokens/{part(id)}", "none", keyed=True, key=idempotency_key)

    def list_uploads(
        self,
        *,
        search: str | None = None,
        sort: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> PageUploadRow:
        """List uploads of model outputs.

        search: Only rows that contain all these words, ignoring case. sort: Column by which rows are ordered; `-`
        before it reverses the order, as in `-created`. The cursors of one order are not those of another. limit: Number
        of rows, 1 to 200; default: 50. A page can have fewer although there are more: follow `next` until it is absent.
        cursor: Start of the page: the value of `next` from the previous page. Absent for the first page.

        Scope: read
        """
        answer: PageUploadRow = self._call(
            "GET",
            "/api/v1/uploads",
            "json",
            query={"search": search, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

    def all_uploads(self, *, search: str | None = None, sort: str | None = None) -> Iterator[UploadRow]:
        """Every row of `list_uploads`, page by page."""
        answer: Iterator[UploadRow] = self._rows(self.list_uploads(search=search, sort=sort, limit=200))
        return answer

    def send_outputs(self, body: Content, *, file: str) -> Upload:
        """Upload a file of model outputs.

        The body is the file: JSON Lines, plain, gzip or zstd, in the format of AixBench, HumanEval-X or CodeIF-Bench,
        or a file of another tool or a table (docs/formats.md). Nothing is imported until `POST /submissions`; check the
        preview first. A file of another kind, such as ratings or a dataset, is refused; `page` is the address of the
        page that accepts it.

        file: The file's name, such as `outputs.jsonl.gz`; the ending determines its format.

        Scope: write:data
        """
        answer: Upload = self._call(
            "POST",
            "/api/v1/uploads",
            "json",
            query={"file": file},
            content=body,
            repeatable=True,
        )
        return answer

    def get_bad_upload_list(
        self,
        id: UploadId,
        *,
        dataset: str,
        matching: Matching | None = None,
        bom: bool | None = None,
    ) -> str:
        """List the lines of an upload that are not imported.

        CSV with the file, the line, the problem and how to fix it.

        id: ID of the upload dataset: The dataset's short name. matching: How lines are matched to tasks. bom: `true`: a
        CSV file begins with a byte order mark, as Excel needs it

        Scope: read
        """
        answer: str = self._call(
            "GET",
            f"/api/v1/uploads/{part(id)}/bad-lines.csv",
            "text",
            query={"dataset": dataset, "matching": matching, "bom": bom},
        )
        return answer

    def get_bad_upload_lines(self, id: UploadId, *, dataset: str, matching: Matching | None = None) -> bytes:
        """Get the lines of an upload that are not imported.

        Invalid lines and those without a task, byte for byte as they were uploaded.

        id: ID of the upload dataset: The dataset's short name. matching: How lines are matched to tasks.

        Scope: read
        """
        answer: bytes = self._call(
            "GET",
            f"/api/v1/uploads/{part(id)}/bad-lines.jsonl",
            "bytes",
            query={"dataset": dataset, "matching": matching},
        )
        return answer

    def choose_columns(self, id: UploadId, body: Columns, *, idempotency_key: str | None = None) -> None:
        """Choose the columns of an upload.

        For a table (CSV or Parquet) whose columns have other names than the usual ones. Replaces an earlier choice. The
        preview lists the columns of the file and which of them are read.

        id: ID of the upload

        Scope: write:data
        """
        self._call("PUT", f"/api/v1/uploads/{part(id)}/columns", "none", body=body, keyed=True, key=idempotency_key)

    def run_early(
        self,
        id: UploadId,
        *,
        dataset: str,
        matching: Matching | None = None,
        idempotency_key: str | None = None,
    ) -> EarlyResults | None:
        """Run a few outputs of an upload.

        Runs outputs of up to ten tasks against their tests before anything is imported, and returns their verdicts once
        all have ended. Nothing is stored. `fault` says why the others, or all of them, could not be run.

        id: ID of the upload dataset: The dataset's short name. matching: How lines are matched to tasks.

        Scope: write:data
        """
        answer: EarlyResults | None = self._call(
            "POST",
            f"/api/v1/uploads/{part(id)}/early-results",
            "json",
            query={"dataset": dataset, "matching": matching},
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def preview_upload(self, id: UploadId, *, dataset: str, matching: Matching | None = None) -> Preview:
        """Preview an upload.

        Matches the upload to a dataset's newest version. Returns invalid lines, tasks without an output, duplicates,
        samples, text that may identify a model, and the first outputs as raters would see them.

        id: ID of the upload dataset: The dataset's short name. matching: How lines are matched to tasks.

        Scope: read
        """
        answer: Preview = self._call(
            "GET",
            f"/api/v1/uploads/{part(id)}/preview",
            "json",
            query={"dataset": dataset, "matching": matching},
        )
        return answer

    def list_webhooks(self, *, limit: int | None = None, cursor: str | None = None) -> PageWebhookRow:
        """List webhooks.

        limit: Number of rows, 1 to 200; default: 50. cursor: Start of the page: the value of `next` from the previous
        page. Absent for the first page.

        Scope: admin
        """
        answer: PageWebhookRow = self._call("GET", "/api/v1/webhooks", "json", query={"limit": limit, "cursor": cursor})
        return answer

    def all_webhooks(self) -> Iterator[WebhookRow]:
        """Every row of `list_webhooks`, page by page."""
        answer: Iterator[WebhookRow] = self._rows(self.list_webhooks(limit=200))
        return answer

    def create_webhook(self, body: NewWebhook) -> CreatedWebhook:
        """Create a webhook.

        The response contains the signing secret, which is not shown again.

        Scope: admin
        """
        answer: CreatedWebhook = self._call("POST", "/api/v1/webhooks", "json", body=body)
        return answer

    def remove_webhook(self, id: WebhookId, *, idempotency_key: str | None = None) -> None:
        """Delete a webhook and its deliveries.

        id: ID of the webhook

        Scope: admin
        """
        self._call("DELETE", f"/api/v1/webhooks/{part(id)}", "none", keyed=True, key=idempotency_key)

    def list_deliveries(self, id: WebhookId, *, limit: int | None = None, cursor: str | None = None) -> PageDeliveryRow:
        """List a webhook's newest deliveries.

        id: ID of the webhook limit: Number of rows, 1 to 200; default: 50. cursor: Start of the page: the value of
        `next` from the previous page. Absent for the first page.

        Scope: admin
        """
        answer: PageDeliveryRow = self._call(
            "GET",
            f"/api/v1/webhooks/{part(id)}/deliveries",
            "json",
            query={"limit": limit, "cursor": cursor},
        )
        return answer

    def all_deliveries(self, id: WebhookId) -> Iterator[DeliveryRow]:
        """Every row of `list_deliveries`, page by page."""
        answer: Iterator[DeliveryRow] = self._rows(self.list_deliveries(id, limit=200))
        return answer

    def test_webhook(self, id: WebhookId, *, idempotency_key: str | None = None) -> DeliveryRow:
        """Send a test delivery.

        id: ID of the webhook

        Scope: admin
        """
        answer: DeliveryRow = self._call(
            "POST",
            f"/api/v1/webhooks/{part(id)}/test",
            "json",
            keyed=True,
            key=idempotency_key,
        )
        return answer

    def get_workers(self) -> Workers | None:
        """Get the workers on other machines, and their queues.

        Scope: read
        """
        answer: Workers | None = self._call("GET", "/api/v1/workers", "json")
        return answer
