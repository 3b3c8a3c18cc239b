"""Characters that look alike: Latin letters, and common Simplified Chinese characters in groups."""

from __future__ import annotations

from functools import cache
from random import Random

from vdebench.studies.validity.document_corruptions import similar_character

LATIN = {
    **{"a": "oeu", "b": "hd", "c": "eo", "d": "cb", "e": "co", "f": "t", "g": "qy", "h": "bn", "i": "lj", "j": "i"},
    **{"k": "h", "l": "it", "m": "nw", "n": "hum", "o": "aec", "p": "q", "q": "gp", "r": "tn", "s": "za", "t": "fl"},
    **{"u": "nv", "v": "uy", "w": "vm", "x": "k", "y": "vg", "z": "s", "B": "RE", "C": "GO", "D": "O", "E": "FB"},
    **{"F": "EP", "G": "C", "H": "N", "I": "L", "L": "I", "M": "N", "N": "HM", "O": "QCD", "P": "FR", "Q": "O"},
    **{"R": "BP", "S": "B", "T": "I", "U": "V", "V": "UY", "W": "V", "X": "K", "Y": "V", "Z": "S"},
}
CHINESE = """
已己巳 未末 日曰目 人入八 大太犬丈 土士 干千于 间问闻 今令 天夭 田由甲申 儿几 王玉主 白自百 木本术
拨拔 析折 侯候 辨辩 晴睛 冶治 喝渴 阴阳 除际 午牛 刀力 九丸 万方 上止 下卞 小少 不丕 中申 水永
手毛 见贝 月用 风凤 夫失 元无 开井 山出 生主 立位 北比 公分 名各 多夕 同间 回四 西酉 处外 老考
在存 有右 石右 左在 再冉 次欢 农衣 字宇 宁宇 江红 汗汁 池地 他地 她地 住往 住佳 体休 作昨 何河
低底 抵低 伸神 估姑 伯泊 但担 供洪 例列 侧测 侧则 俩两 保堡 促捉 倍陪 部陪 部都 郎朗 郊效 院完
陆际 限根 恨根 很根 银根 跟根 狠狼 狼浪 娘浪 科料 种和 秋秒 税说 积织 织识 职织 职识 移侈 稳隐
竞竟 章童 意章 理埋 野理 现规 视规 观现 玩现 班斑 球求 环坏 坏杯 还坏 还环 进讲 近进 运远 这边
迁过 达送 送选 连莲 速束 造逛 通诵 适活 遗遣 遥摇 道首 计汁 订计 认议 让计 记纪 级极 约的 纳钠
纯钝 纸低 线钱 残钱 钱浅 浅线 组祖 租组 经轻 轻径 径经 劲轻 结洁 给洽 统流 继断 绩债 绿缘 录绿
缩宿 编偏 编篇 遍编 骗编 缓暖 暖援 综棕 绍招 招沼 昭照 照熙 热势 熟热 然燃 煤媒 烧浇 绕烧 晓绕
晓烧 灯打 炉护 沪护 护扩 抬拾 拾捡 检捡 险检 验险 脸检 签检 技枝 支技 扶抹 找我 战找 投没 设没
抗坑 抗杭 拍泊 拉位 持特 待持 侍待 诗持 特待 挂桂 挖控 换唤 焕换 捕铺 铺辅 辅捕 授受 爱受 接按
准推 难准 准淮 维准 堆推 描猫 措借 借惜 错措 提堤 插播 播翻 操燥 躁操 摸模 模漠 膜模 幕墓 慕幕
募幕 收攻 改攻 攻政 故做 做敌 敌故 散教 数教 敬教 新亲 斯期 期欺 朝期 其具 其真 直真 具直 且具
日且 目且 自目 旧日 早旱 星是 是定 时对 对村 明朋 明胆 易昜 场扬 汤场 杨扬 杨场 肠场 畅扬 景影
最量 暑署 署著 著者 都者 暴爆 暴曝 瀑爆 材村 村付 林材 柱桂 柱住 注柱 往注 主注 标际 详样 祥样
洋详 校较 较轻 桥娇 骄桥 娇骄 核该 该刻 刻核 孩核 格洛 路格 落洛 络洛 略络 桃挑 挑跳 跳逃 逃桃
梅海 海悔 侮海 流琉 消清 清情 情请 请晴 精清 睛精 青责 责债 绩积 渍绩 渡度 度席 温湿 深探 渐浙
浙折 折拆 拆诉 斥斤 近斤 所听 听斩 源原 原愿 愿源 厚原 滑骨 满瞒 漫慢 慢馒 漂飘 标漂 油抽 袖抽
轴油 泊油 沿治 波坡 坡披 被披 破坡 波被 泥尼 油由 济挤 齐济 剂济 况兄 冲仲 种钟 冷玲 冷怜 领须
颈领 项顶 须顺 预顶 频颇 额颜 颗课 课棵 棵颗 类娄 数楼 楼搂 缕楼 电申 介个 价介 什计 仅仪 仪议
议义 义叉 又叉 双又 及乃 级及 吸级 极吸 仍乃 扔仍 代伐 化代 货贷 资贷 资姿 货资 费贵 贵责 贫贪
贸留 质员 损员 圆园 围图 团困 困因 因团 固因 周同 吉古 右古 苦若 舌古 占古 台治 合会 令合 合舍
台古 史吏 吏更 使便 更便 硬便 吃吐 吨吃 告舌 员贡 贡责 味昧 味妹 昧妹 和知 和如 短知 矢失 失先
选先 光先 兄光 克兄 免兔 晚免 挽晚 勉免 党堂 常堂 掌常 赏常 尝常 宣宜 宜直 宫官 管官 馆管 宫营
营菅 营管 室至 定宝 实买 买卖 卖实 读续 宾宽 密蜜 富副 福副 幅福 辐福 寒塞 赛塞 导异 封对 射身
将浆 奖将 桨将 尽尺 局居 居屈 层屋 届居 展屐 属嘱 岁岂 岛鸟 鸟乌 鸣鸟 鸭鸣 岸岩 峰锋 峰蜂 锋蜂
巨臣 拒柜 距拒 巧功 功切 巧切 工土 功攻 币巾 市布 布希 市币 师帅 带常 帮邦 干于 平半 评坪 年牛
并井 广厂 床庆 序床 库序 应庄 店点 府付 附府 符府 废度 庭廷 延廷 延建 健建 键健 建津 律津 弟第
张弦 强弹 弹单 形刑 刑型 彩采 菜采 彻切 征证 政征 徒徙 微徽 徵微 忆亿 艺亿 忙芒 快块 快决 块决
怀坏 态志 志忘 忘忙 急总 息总 恩思 恢灰 恐怒 怒恕 患忠 悟语 惊谅 谅凉 惯贯 愉偷 愉输 偷输 轮论
沦论 伦论 抢枪 抢仓 苍仓 舱仓 船般 航般 股般 设股 段设 投设 成戌 戍戌 戎戒 或惑 域或 划戏 成城
城诚 盛成 威成 感惑 房户 护户 所户 扇房 手午 扎礼 扑朴 打订 执热 扩矿 扫归 批比 承永 抓爪 爪瓜
抱泡 跑抱 炮跑 炮泡 包泡 饱炮 押抻 抽押 拖施 施旅 旅族 旗旅 旋族 拥佣 择译 泽译 释择 拳举 誉举
指脂 按案 挥辉 浑挥 军挥 振震 晨震 唇震 捞劳 荣劳 营劳 损捐 据居 剧据 掉悼 掠惊 接妾 控空 搭塔
搜馊 携推 摄慑 撤撒 撒散 撑掌 撞憧 播番 番审 审申 擦察 察祭 蔡察 支友 友发 反友 返反 板版 饭版
饭反 贩版 叛版 叔权 权杈 权杖 取职 叙斜 口日 可司 词饲 伺词 号考 吊币 向尚 响向 吴误 娱误 吵抄
秒抄 妙秒 炒妙 沙抄 砂沙 含合 念含 贪含 启后 吹欢 饮软 欲软 歌欧 款软
"""
"""Characters of a group are similar in shape; a character may be in several groups."""


@cache
def chinese_look_alikes() -> dict[str, str]:
    """For each character of `CHINESE` the characters that look like it.

    >>> chinese_look_alikes()["未"], "已" in chinese_look_alikes()["己"]
    ('末', True)
    """
    found: dict[str, dict[str, None]] = {}
    for group in CHINESE.split():
        for each in group:
            found.setdefault(each, {}).update(dict.fromkeys(other for other in group if other != each))
    return {each: "".join(others) for each, others in found.items()}


def other_letter(letter: str, rng: Random) -> str:
    """A Latin letter that looks alike, or at random one of similar width.

    >>> other_letter("j", Random(2)) != "j"
    True
    """
    alike = LATIN.get(letter, "")
    return rng.choice(alike) if alike and rng.random() < 0.5 else similar_character(letter, [], rng)
