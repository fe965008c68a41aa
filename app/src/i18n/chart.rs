//! What pictures say: each text with both its languages side by side.

#![allow(missing_docs, reason = "each field's English text, below, says what it is for")]

use crate::model::stats::Undefined;

macro_rules! texts {
    ($($word:ident: $en:literal, $zh:literal;)*) => {
        /// The texts of pictures.
        pub struct ChartTexts {
            english: bool,
            $(pub $word: &'static str,)*
        }
        /// English.
        pub const EN: ChartTexts = ChartTexts { english: true, $($word: $en,)* };
        /// Chinese.
        pub const ZH: ChartTexts = ChartTexts { english: false, $($word: $zh,)* };
    };
}

texts! {
    columns_desc: "A group of bars for each figure, a bar for each model. The table holds the same figures.", "每项指标一组柱，每个模型一根柱。表格列有相同的数据。";
    differences_desc: "A point for each difference of two models, a line for its 95 % interval. Where the line crosses zero, the data do not separate the two.", "圆点为两个模型之差，横线为 95 % 置信区间。横线跨过零，则数据不能区分二者。";
    crowds_desc: "A circle for all outputs about one pass ratio and one score: the larger, the more outputs. It leads to their tasks; the table has how many there are of each model.", "通过率与评分相近的输出合为一个圆，圆越大输出越多；点击可查看相应任务，表格列有各模型的数量。";
    difference: "Difference", "差值";
    distribution_desc: "One bar for each model, cut into the shares of the scores, lowest left.", "每个模型一条，按各分数所占比例分段，低分在左。";
    figure: "Figure", "数值";
    grid_desc: "A cell for each model and task: the darker, the better. Empty cells have no figure.", "每个模型与任务对应一格：颜色越深越好。空格表示没有数据。";
    heat_desc: "Quadratic-weighted kappa for each pair of raters: the darker, the better they agree. 1 is perfect agreement, 0 what chance would give.", "每对评分者的二次加权 kappa：颜色越深，一致性越高。1 为完全一致，0 相当于随机水平。";
    hint: "Arrow keys move from value to value.", "用方向键逐个查看数值。";
    human_score: "Mean human score", "人工平均分";
    interval: "95 % interval", "95 % 置信区间";
    itself: "the same rater", "同一评分者";
    kappa: "Kappa", "Kappa";
    mean: "Mean", "平均分";
    means_desc: "A point for each model's mean, a line for its 95 % interval.", "圆点为各模型的平均分，横线为 95 % 置信区间。";
    model: "Model", "模型";
    none: "no figure", "无数据";
    no_ratings: "no ratings", "暂无评分";
    outputs: "Outputs", "共同输出";
    outputs_all: "Outputs", "输出数";
    pair: "Pair", "对";
    pass_ratio: "Pass ratio of the tests", "测试通过率";
    png: "PNG", "PNG";
    scatter_desc: "A dot for each output that has both tests and ratings. Dots that would lie on one another are moved apart a little; the table has the true values.", "每个既有测试又有评分的输出对应一个点。重叠的点略微错开，表格列有真实数值。";
    score: "Score", "分数";
    sum: "Sum", "合计";
    shares_desc: "A point for each share, a line for its 95 % interval.", "圆点为各项比例，横线为 95 % 置信区间。";
    svg: "SVG", "SVG";
    take_away: "This picture as a file:", "下载此图：";
    task: "Task", "任务";
    the_figures: "The figures", "数据表";
    verdicts: "What the outputs came to", "各输出的测试结果";
    verdicts_desc: "One bar for each model, cut into the shares of the verdicts, passed right.", "每个模型一条，按各测试结果所占比例分段，通过在右。";
}

impl ChartTexts {
    fn pick(&self, en: String, zh: String) -> String {
        if self.english { en } else { zh }
    }

    /// A picture's title: a dimension or a figure, and what is shown of it.
    pub fn distribution_title(&self, name: &str) -> String {
        self.pick(format!("{name}: how often each score was given"), format!("{name}：各分数的分布"))
    }

    /// Means with their intervals.
    pub fn means_title(&self, name: &str) -> String {
        self.pick(format!("{name}: means"), format!("{name}：平均分"))
    }

    /// Differences with their intervals.
    pub fn differences_title(&self, name: &str) -> String {
        self.pick(format!("{name}: differences"), format!("{name}：差值"))
    }

    /// Agreement of each pair of raters.
    pub fn heat_title(&self, name: &str) -> String {
        self.pick(format!("{name}: how far each pair of raters agrees"), format!("{name}：评分者两两一致性"))
    }

    /// Tests against people.
    pub fn scatter_title(&self, name: &str) -> String {
        self.pick(format!("Tests against people: {name}"), format!("测试与人工评分：{name}"))
    }

    /// Every task of every model.
    pub fn grid_title(&self, name: &str) -> String {
        self.pick(format!("{name}, task by task"), format!("{name}：逐任务"))
    }

    /// A part of a bar.
    pub fn part_tip(&self, model: &str, score: u8, count: u64, whole: u64) -> String {
        let share = if whole == 0 { 0.0 } else { count as f64 * 100.0 / whole as f64 };
        self.pick(
            format!("{model}: score {score} given {count} of {whole} times ({share:.0} %)"),
            format!("{model}：{score} 分，{whole} 次中的 {count} 次（{share:.0} %）"),
        )
    }

    /// A part of a bar of verdicts.
    pub fn verdict_tip(&self, model: &str, verdict: &str, count: u64, whole: u64) -> String {
        let share = if whole == 0 { 0.0 } else { count as f64 * 100.0 / whole as f64 };
        self.pick(
            format!("{model}: {verdict}, {count} of {whole} outputs ({share:.0} %)"),
            format!("{model}：{verdict}，{whole} 个输出中的 {count} 个（{share:.0} %）"),
        )
    }

    /// How many outputs.
    pub fn outputs_n(&self, n: u64) -> String {
        self.pick(if n == 1 { "1 output".into() } else { format!("{n} outputs") }, format!("{n} 个输出"))
    }

    /// How many ratings.
    pub fn ratings(&self, n: u64) -> String {
        self.pick(if n == 1 { "1 rating".into() } else { format!("{n} ratings") }, format!("{n} 次评分"))
    }

    /// A pair of raters.
    pub fn kappa_tip(&self, first: &str, second: &str, kappa: &str, outputs: u32) -> String {
        self.pick(
            format!("{first} and {second}: {kappa}, over {outputs} outputs"),
            format!("{first} 与 {second}：{kappa}，共 {outputs} 个输出"),
        )
    }

    /// A circle for many outputs.
    pub fn crowd_tip(&self, outputs: &str, ratio: f64, score: f64) -> String {
        let percent = ratio * 100.0;
        self.pick(
            format!("{outputs} with about {percent:.0} % of the tests and a score of about {score:.2}"),
            format!("{outputs}：通过率约 {percent:.0} %，评分约 {score:.2}"),
        )
    }

    /// A dot.
    pub fn dot_tip(&self, model: &str, task: &str, ratio: f64, score: f64) -> String {
        let percent = ratio * 100.0;
        self.pick(
            format!("{model}, task {task}: {percent:.0} % of the tests, score {score:.2}"),
            format!("{model}，任务 {task}：通过 {percent:.0} % 的测试，得分 {score:.2}"),
        )
    }

    /// Why a figure is missing, in a few words.
    pub fn why(&self, why: Undefined) -> String {
        let (en, zh) = match why {
            Undefined::Nothing => ("no data", "没有数据"),
            Undefined::TooFew => ("too little data", "数据太少"),
            Undefined::NoPairs => ("no output was rated twice", "没有输出被评过两次"),
            Undefined::NoVariation => ("all values are the same", "所有数值相同"),
            Undefined::NoDivisor => ("the variance that it is divided by is 0", "作为除数的方差为 0"),
            Undefined::NotCrossed => ("no two outputs were rated by every rater", "被所有评分者评过的输出不足两个"),
            Undefined::Disconnected(groups) => {
                return self.pick(
                    format!("the raters fall into {groups} groups that share no output"),
                    format!("评分者分为 {groups} 组，组间没有共同评过的输出"),
                );
            }
            Undefined::SeveralSamples => ("some task has more than one sample", "有任务包含多个样本"),
            Undefined::Unstable => ("undefined in most resamples", "在多数重抽样中无定义"),
        };
        self.pick(en.into(), zh.into())
    }
}
